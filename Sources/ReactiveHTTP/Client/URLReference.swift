// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport

    /// A URL, or a reference that is relative to one (RFC 3986 section 4), without its fragment.
    struct URLReference: Sendable, Equatable {
        var scheme: String?
        var authority: String?
        var path = ""
        var query: String?
    }

    extension URLReference {
        /// Splits a text (RFC 3986 appendix B). Every text is a reference. The characters are not checked.
        init(_ text: String) {
            var rest = text[...]
            if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
            if let question = rest.firstIndex(of: "?") {
                query = String(rest[rest.index(after: question)...])
                rest = rest[..<question]
            }
            if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
                scheme = rest[..<colon].lowercased()
                rest = rest[rest.index(after: colon)...]
            }
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                let end = rest.firstIndex(of: "/") ?? rest.endIndex
                authority = String(rest[..<end])
                rest = rest[end...]
            }
            path = String(rest)
        }

        private static func isScheme(_ text: Substring) -> Bool {
            guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
            return text.utf8.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ".")
            }
        }

        /// The path and the query, as in a request line.
        var target: String {
            let path = path.isEmpty ? "/" : path
            return query.map { "\(path)?\($0)" } ?? path
        }

        /// The target of this reference, which a message of `base` contains (RFC 3986 section 5.2.2).
        func resolved(against base: URLReference) -> URLReference {
            var result = self
            if scheme == nil {
                result.scheme = base.scheme
                if authority == nil {
                    result.authority = base.authority
                    if path.isEmpty {
                        result.path = base.path
                        result.query = query ?? base.query
                        return result
                    }
                    let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
                    if !path.hasPrefix("/") { result.path = folder + path }
                }
            }
            result.path = Self.withoutDots(result.path)
            return result
        }

        /// Removes the segments `.` and `..` (RFC 3986 section 5.2.4).
        private static func withoutDots(_ path: String) -> String {
            guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
            var kept: [Substring] = []
            let segments = path.split(separator: "/", omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                let isLast = index == segments.count - 1
                switch segment {
                case ".":
                    if isLast { kept.append("") }
                case "..":
                    if kept.count > 1 || kept.first?.isEmpty == false { kept.removeLast() }
                    if isLast { kept.append("") }
                default: kept.append(segment)
                }
            }
            let joined = kept.joined(separator: "/")
            return path.hasPrefix("/") && !joined.hasPrefix("/") ? "/" + joined : joined
        }

        /// Percent-encodes the bytes that a request target cannot contain, as browsers do in a `Location`.
        static func encoded(_ text: String) -> String {
            let allowed = { (byte: UInt8) in ASCII.target.contains(byte) || byte == UInt8(ascii: "#") }
            if text.utf8.allSatisfy(allowed) { return text }
            var result = ""
            for byte in text.utf8 {
                if allowed(byte) {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    PercentCoding.append(byte, to: &result)
                }
            }
            return result
        }
    }
#endif
