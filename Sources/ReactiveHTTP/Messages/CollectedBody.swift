// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The bytes of a body so far. They are copied, because a chunk of one byte may retain the memory of many.
    struct CollectedBody: Sendable {
        private enum Content {
            case one(Bytes)
            case joined([UInt8])
        }

        private var content = Content.one(Bytes())

        var bytes: Bytes {
            switch content {
            case .one(let bytes): bytes
            case .joined(let bytes): Bytes(bytes)
            }
        }

        mutating func append(_ chunk: Bytes) {
            switch content {
            case .one(let bytes) where bytes.isEmpty: content = .one(chunk.compacted())
            case .one(let bytes): content = .joined(Array(bytes) + chunk)
            case .joined(var bytes):
                // Otherwise the array would be copied.
                content = .one(Bytes())
                bytes.append(contentsOf: chunk)
                content = .joined(bytes)
            }
        }
    }
#endif
