// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// The headers of a message as bytes: a line `NATS/1.0`, a line for each field, and an empty line (ADR-4 of NATS).
    enum HeaderBlock {
        private static let version = "NATS/1.0"
        /// The maximum number of fields. A field of three bytes uses more than twenty times as much memory.
        static let mostFields = 10_000

        /// Parses a block. A server's status becomes the fields `Status` and `Description`. `nil` if it is malformed, or has too
        /// many fields.
        static func headers(of block: Bytes) -> NATSHeaders? {
            if block.isEmpty { return [:] }
            guard block.hasSuffix("\r\n\r\n") else { return nil }
            // Besides the fields, there are the first line, the empty line and the end.
            let splits = mostFields + 2
            var lines = block.split(separator: UInt8(ascii: "\n"), maxSplits: splits, omittingEmptySubsequences: false)[
                ...
            ]
            guard let first = lines.popFirst(), first.hasPrefix(version) else { return nil }
            var fields: [NATSHeaders.Field] = []
            let status = first.dropFirst(version.utf8.count).trimmingASCIIWhitespace()
            if !status.isEmpty {
                let end = status.firstIndex(of: UInt8(ascii: " ")) ?? status.endIndex
                fields.append(NATSHeaders.Field("Status", String(status[..<end])))
                let description = status[end...].trimmingASCIIWhitespace()
                if !description.isEmpty { fields.append(NATSHeaders.Field("Description", String(description))) }
            }
            while let line = lines.popFirst() {
                let line = line.trimmingASCIIWhitespace()
                if line.isEmpty { return NATSHeaders(fields) }
                guard fields.count < mostFields, let colon = line.firstIndex(of: UInt8(ascii: ":")),
                    colon > line.startIndex
                else { return nil }
                let value = line[(colon + 1)...].trimmingASCIIWhitespace()
                fields.append(NATSHeaders.Field(String(line[..<colon]), String(value)))
            }
            return nil
        }

        /// The number of bytes of the block of these headers.
        static func size(of headers: NATSHeaders) -> Int {
            // The version, the empty line, and for each field a colon, a space and a line ending.
            headers.fields.reduce(version.utf8.count + 4) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }

        static func append(_ headers: NATSHeaders, to bytes: inout [UInt8]) {
            bytes += "\(version)\r\n".utf8
            for field in headers.fields {
                bytes += field.name.utf8
                bytes += ": ".utf8
                bytes += field.value.utf8
                bytes += "\r\n".utf8
            }
            bytes += "\r\n".utf8
        }
    }
#endif
