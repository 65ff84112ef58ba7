// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport

    /// The path of a request as the names of folders and a file.
    ///
    /// The path is split at slashes first, and then each name is percent-decoded once. So an encoded slash cannot separate
    /// names. A path is refused if a name is empty, `.` or `..`, or contains a slash or NUL. A backslash and bytes that are
    /// not UTF-8 are ordinary.
    struct FilePath: Equatable {
        /// The decoded names. Empty means the root.
        private(set) var names: [[UInt8]] = []
        /// Whether the path ends with a slash, and so names a folder.
        private(set) var isFolder = true
        /// The query with its question mark, or an empty text.
        private(set) var query = ""

        private static let slash = UInt8(ascii: "/")

        /// Reads a path that begins with `prefix`, which begins and ends with a slash. Returns `nil` if the path is refused.
        init?(_ path: String, below prefix: String = "/") {
            var text = path.utf8[...]
            if let mark = text.firstIndex(of: UInt8(ascii: "?")) {
                query = String(decoding: text[mark...], as: UTF8.self)
                text = text[..<mark]
            }
            guard text.starts(with: prefix.utf8) else { return nil }
            var parts = text.dropFirst(prefix.utf8.count).split(
                separator: Self.slash,
                omittingEmptySubsequences: false
            )
            isFolder = parts.last?.isEmpty != false
            if isFolder, !parts.isEmpty { parts.removeLast() }
            for part in parts {
                guard let name = Self.decode(part) else { return nil }
                names.append(name)
            }
        }

        private static func decode(_ text: Substring.UTF8View) -> [UInt8]? {
            var name: [UInt8] = []
            name.reserveCapacity(text.count)
            var rest = text
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "%") {
                    guard let decoded = PercentCoding.popByte(&rest) else { return nil }
                    byte = decoded
                }
                if byte == 0 || byte == slash { return nil }
                name.append(byte)
            }
            let dot = UInt8(ascii: ".")
            return name.isEmpty || name == [dot] || name == [dot, dot] ? nil : name
        }

        /// Whether a name begins with a dot, except `.well-known` as the first one (RFC 8615).
        var isHidden: Bool {
            for (index, name) in names.enumerated() where name.first == UInt8(ascii: ".") {
                if index > 0 || name != Array(".well-known".utf8) { return true }
            }
            return false
        }

        /// The same path with a slash at its end, for the field `Location`.
        ///
        /// All bytes that are not unreserved are encoded, so it cannot begin with two slashes or a backslash, which a
        /// browser would read as another host.
        func folderLocation(below prefix: String) -> String {
            var location = prefix
            for name in names {
                for byte in name {
                    if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
                        location.unicodeScalars.append(Unicode.Scalar(byte))
                    } else {
                        PercentCoding.append(byte, to: &location)
                    }
                }
                location += "/"
            }
            return location + query
        }
    }
#endif
