// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// Compresses the messages of one WebSocket. Only the connection's loop accesses it.
    final class MessageCompressor {
        private let parameters: DeflateParameters
        private let settings: WebSocketCompression
        /// The state of zlib. Without a context that is kept, it exists only during a message.
        private var deflater: Deflater?

        /// Returns `nil` if compression has not been negotiated.
        init?(_ parameters: DeflateParameters?, _ configuration: WebSocketConfiguration) {
            guard let parameters, let settings = configuration.compression else { return nil }
            self.parameters = parameters
            self.settings = settings
        }

        /// Compresses a payload. Returns `nil` if it is too short, or if there is no memory for it.
        func compress(_ payload: Bytes) -> Bytes? {
            guard payload.count >= settings.minimumBytes else { return nil }
            guard
                let deflater = deflater
                    ?? Deflater(
                        level: settings.level,
                        windowBits: parameters.windowBits,
                        memoryLevel: settings.memoryLevel
                    )
            else { return nil }
            self.deflater = parameters.keepsContext ? deflater : nil
            return deflater.compress(payload)
        }

        /// Releases the state of zlib.
        func release() { deflater = nil }
    }
#endif
