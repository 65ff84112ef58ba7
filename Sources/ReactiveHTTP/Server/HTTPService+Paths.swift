// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSupport

    extension HTTPService {
        /// Chooses a service by the path of the request.
        ///
        /// ```swift
        /// let files = try StaticFiles(at: "public", below: "/files/")
        /// let service = HTTPService.paths([
        ///     "/": .function { request in .ok("hello\n") },
        ///     "/files/": files.service,
        /// ])
        /// ```
        ///
        /// A path that ends with a slash also matches everything below it, except `/`, which only matches itself. Of
        /// several matches the longest counts. Without a match the response is 404. Paths are compared without the query, and
        /// after percent-decoding once, because a service may decode too. `%2F` and `%00` stay encoded. The service receives
        /// the request unchanged. The method does not matter.
        ///
        /// - Parameter services: The services by their paths. Each path must begin with a slash, and no two may be equal after
        ///   percent-decoding. Otherwise the call traps.
        public static func paths(_ services: [String: HTTPService]) -> HTTPService {
            HTTPService(content: .paths(PathTable(services)))
        }
    }

    /// Services by exact paths, and by the beginnings of paths.
    final class PathTable: Sendable {
        private let exact: [String: HTTPService]
        /// The paths with a slash at their end, longest first.
        private let folders: [(path: String, service: HTTPService)]

        init(_ services: [String: HTTPService]) {
            for path in services.keys {
                require(path.hasPrefix("/"), "the path \"\(path)\" of a service must begin with a slash")
            }
            exact = Dictionary(services.map { (Self.decode($0.key), $0.value) }) { _, _ in
                trap("two services have the same path after percent-decoding: use each path once")
            }
            folders =
                exact.filter { $0.key.utf8.count > 1 && $0.key.hasSuffix("/") }
                .map { (path: $0.key, service: $0.value) }
                .sorted { $0.path.utf8.count > $1.path.utf8.count }
        }

        func service(for path: String) -> HTTPService {
            let path = Self.decode(path.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(path[..<$0]) } ?? path)
            if let found = exact[path] { return found }
            let folder = folders.first { path.utf8.starts(with: $0.path.utf8) }
            return folder?.service ?? .function { _ in .plain(.notFound, "there is nothing at this path") }
        }

        /// Decodes a path once. Otherwise an encoded letter would choose another service than the one that guards the path.
        ///
        /// An encoded slash stays encoded, because it does not separate names. Invalid encodings stay too.
        private static func decode(_ path: String) -> String {
            guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
            var decoded: [UInt8] = []
            var rest = path.utf8[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%"), let encoded = PercentCoding.popByte(&rest) else {
                    decoded.append(byte)
                    continue
                }
                switch encoded {
                case 0: decoded += "%00".utf8
                case UInt8(ascii: "/"): decoded += "%2F".utf8
                default: decoded.append(encoded)
                }
            }
            return String(decoding: decoded, as: UTF8.self)
        }
    }
#endif
