// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

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
        /// several matches the longest counts. Without a match the response is 404. Paths are compared as sent, without
        /// percent-decoding and without the query. The method does not matter.
        ///
        /// - Parameter services: The services by their paths. Each path must begin with a slash. Otherwise the call traps.
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
                precondition(path.hasPrefix("/"), "the path \"\(path)\" of a service must begin with a slash")
            }
            exact = services
            folders =
                services.filter { $0.key.utf8.count > 1 && $0.key.hasSuffix("/") }
                .map { (path: $0.key, service: $0.value) }
                .sorted { $0.path.utf8.count > $1.path.utf8.count }
        }

        func service(for path: String) -> HTTPService {
            let path = path.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(path[..<$0]) } ?? path
            if let found = exact[path] { return found }
            let folder = folders.first { path.utf8.starts(with: $0.path.utf8) }
            return folder?.service ?? .function { _ in .plain(.notFound, "there is nothing at this path") }
        }
    }
#endif
