// SPDX-License-Identifier: MIT
#if HTTP
    import CZlib
    import ReactiveSockets

    /// Decompresses the messages of a peer (RFC 7692 section 7.2.2), one buffer at a time. The caller stops it at a limit.
    ///
    /// It owns about 7 KiB and a window of at most 32 KiB. One thread at a time uses it.
    final class Inflater {
        private let stream: ZlibStream
        private var input = Bytes()
        /// Whether the last buffer was full, so that zlib may hold more output.
        private var mayHaveMore = false

        /// The maximum number of bytes of one buffer of output.
        static let outputLimit = 16 * 1024

        /// Returns `nil` if the process is out of memory.
        init?(windowBits: Int) {
            // A negative number means no zlib header.
            let stream = unsafe ZlibStream { state in unsafe reactive_zlib_inflate_init(state, -Int32(windowBits)) }
            guard let stream else { return nil }
            self.stream = stream
        }

        deinit { unsafe inflateEnd(stream.state) }

        /// Adds compressed bytes. The earlier ones have been consumed: ``next()`` has returned `nil`.
        func add(_ bytes: Bytes) { input = bytes }

        /// Returns the next decompressed bytes, or `nil` if more input is needed.
        ///
        /// - Throws: `protocolViolation` if the input is not a DEFLATE stream.
        func next() throws(WebSocketError) -> Bytes? {
            while !input.isEmpty || mayHaveMore {
                let capacity = min(max(input.count * 4, 256), Self.outputLimit)
                let (output, result) = stream.process(&input, into: capacity) { _ in
                    unsafe inflate(stream.state, Z_SYNC_FLUSH)
                }
                mayHaveMore = output.count == capacity
                switch result {
                case Z_OK, Z_BUF_ERROR: break
                // A final block ends the DEFLATE stream, but not the message or its window (RFC 7692 section 7.2.3.4).
                case Z_STREAM_END: unsafe inflateResetKeep(stream.state)
                default: throw WebSocketError(.protocolViolation, "the peer sent a message that cannot be decompressed")
                }
                if !output.isEmpty { return output.compacted() }
                if result == Z_BUF_ERROR { break }
            }
            input = Bytes()
            mayHaveMore = false
            return nil
        }
    }
#endif
