// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// The result of the preconditions of a GET or HEAD request for a file that exists.
    enum Preconditions: Equatable {
        /// The response is the file, or if `allowsRange` perhaps a range of it.
        case perform(allowsRange: Bool)
        /// The client has the file: 304.
        case notModified
        /// The client expects another version: 412.
        case failed

        /// Evaluates the fields in the order of RFC 9110 section 13.2.2.
        static func evaluate(_ fields: HTTPFields, _ version: FileVersion) -> Preconditions {
            if let tags = fields[.ifMatch] {
                if !matches(tags, version.tag, isWeak: false) { return .failed }
            } else if let date = date(fields[.ifUnmodifiedSince], version), version.modified > date {
                return .failed
            }
            if let tags = fields[.ifNoneMatch] {
                if matches(tags, version.tag, isWeak: true) { return .notModified }
            } else if let date = date(fields[.ifModifiedSince], version), version.modified <= date {
                return .notModified
            }
            return .perform(allowsRange: fields[.ifRange].map { isCurrent($0, version) } ?? true)
        }

        /// The seconds of a date. An invalid one counts as missing (RFC 9110 section 13.1.3).
        private static func date(_ text: String?, _ version: FileVersion) -> Int? {
            text.flatMap { HTTPDate.seconds($0, now: version.now) }
        }

        /// Whether a validator of `If-Range` is that of the file, by strong comparison (RFC 9110 section 13.1.5).
        private static func isCurrent(_ validator: String, _ version: FileVersion) -> Bool {
            if validator.contains("\"") { return validator == version.tag }
            return version.hasStrongDate && HTTPDate.seconds(validator, now: version.now) == version.modified
        }

        /// Whether a list of entity tags contains the tag of the file, or is `*`.
        ///
        /// - Parameter isWeak: Whether `W/"x"` equals `"x"` (RFC 9110 section 8.8.3.2).
        private static func matches(_ list: String, _ tag: String, isWeak: Bool) -> Bool {
            var text = list.utf8[...]
            func skipSeparators() {
                text = text.drop { ASCII.isBlank($0) || $0 == UInt8(ascii: ",") }
            }
            skipSeparators()
            if text.elementsEqual("*".utf8) { return true }
            while !text.isEmpty {
                let weak = text.starts(with: "W/".utf8)
                if weak { text = text.dropFirst(2) }
                // A tag may contain commas, and so the list cannot be split at them.
                guard text.first == UInt8(ascii: "\""),
                    let end = text.dropFirst().firstIndex(of: UInt8(ascii: "\""))
                else { return false }
                if isWeak || !weak, text[...end].elementsEqual(tag.utf8) { return true }
                text = text[text.index(after: end)...]
                skipSeparators()
            }
            return false
        }
    }
#endif
