// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// The field names that occur in most messages. The parser finds them without allocating memory.
    ///
    /// A known name is compared as words of eight bytes whose letters are lowercased by one bit operation. No byte of a
    /// known name results from another character of a token in this way.
    struct KnownFields {
        /// The fields that have a meaning for the parser.
        enum Role {
            case other, host, contentLength, transferEncoding, connection, expect, upgrade
        }

        private struct Entry {
            let name: HTTPField.Name
            let role: Role
            let key: Key
        }

        /// A name of at most 32 bytes. Words overlap if the length is no multiple of eight.
        private struct Key: Equatable {
            let first: UInt64
            let last: UInt64
            var middle: UInt64 = 0
            var next: UInt64 = 0
        }

        static let shared = KnownFields()
        private static let longest = 32
        private static let letterBits: UInt64 = 0x2020_2020_2020_2020

        private var entries: [Entry] = []
        /// The index of the first entry of each length.
        private var firstOfLength = [Int](repeating: 0, count: longest + 2)

        private init() {
            entries = Self.names.map { name in
                let role = Self.roles[name.canonicalName] ?? .other
                let bytes = Array(name.canonicalName.utf8)
                // Safe: the array outlives the call.
                let key = unsafe bytes.withUnsafeBytes { unsafe Self.key(ByteText($0), 0..<$0.count) }
                return Entry(name: name, role: role, key: key)
            }
            entries.sort { $0.name.canonicalName.utf8.count < $1.name.canonicalName.utf8.count }
            for length in firstOfLength.indices {
                firstOfLength[length] =
                    entries.firstIndex { $0.name.canonicalName.utf8.count >= length } ?? entries.count
            }
        }

        /// All known names, the shortest first.
        var allNames: [HTTPField.Name] { entries.map(\.name) }

        func name(_ index: Int) -> HTTPField.Name { entries[index].name }

        func role(_ index: Int) -> Role { entries[index].role }

        /// Returns the index of the name in the range, if it is known.
        @inline(__always)
        func find(_ text: ByteText, _ range: Range<Int>) -> Int? {
            let length = range.count
            guard length > 1, length <= Self.longest else { return nil }
            let key = Self.key(text, range)
            var index = firstOfLength[length]
            let end = firstOfLength[length + 1]
            while index < end {
                if entries[index].key == key { return index }
                index += 1
            }
            return nil
        }

        @inline(__always)
        private static func key(_ text: ByteText, _ range: Range<Int>) -> Key {
            let (start, length) = (range.lowerBound, range.count)
            if length < 8 {
                let first = text.word(at: start, length: length) | letterBits
                return Key(first: first, last: first)
            }
            var key = Key(
                first: text.word(at: start) | letterBits,
                last: text.word(at: range.upperBound - 8) | letterBits
            )
            if length > 16 {
                key.middle = text.word(at: start + 8) | letterBits
                key.next = text.word(at: start + min(16, length - 8)) | letterBits
            }
            return key
        }

        private static let roles: [String: Role] = [
            "host": .host, "content-length": .contentLength, "transfer-encoding": .transferEncoding,
            "connection": .connection, "expect": .expect, "upgrade": .upgrade,
        ]

        private static let names: [HTTPField.Name] =
            [
                .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .accessControlAllowCredentials,
                .accessControlAllowHeaders, .accessControlAllowMethods, .accessControlAllowOrigin,
                .accessControlRequestHeaders, .accessControlRequestMethod, .age, .allow, .authorization, .cacheControl,
                .connection, .contentDisposition, .contentEncoding, .contentLanguage, .contentLength, .contentRange,
                .contentSecurityPolicy, .contentType, .cookie, .date, .eTag, .expect, .expires, .from, .ifMatch,
                .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastModified, .location, .origin,
                .priority, .range, .referer, .retryAfter, .secWebSocketAccept, .secWebSocketExtensions,
                .secWebSocketKey, .secWebSocketProtocol, .secWebSocketVersion, .server, .setCookie,
                .strictTransportSecurity, .te, .traceparent, .tracestate, .trailer, .transferEncoding, .upgrade,
                .userAgent, .vary, .via, .xContentTypeOptions,
            ]
            + [
                "Host", "Keep-Alive", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP",
                "X-Request-ID",
                "Forwarded", "DNT", "Pragma", "Sec-CH-UA", "Sec-CH-UA-Mobile", "Sec-CH-UA-Platform", "Sec-Fetch-Site",
                "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User", "Upgrade-Insecure-Requests", "Last-Event-ID",
            ].compactMap { HTTPField.Name($0) }
    }
#endif
