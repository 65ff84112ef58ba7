// SPDX-License-Identifier: MIT
#if HTTP
    import CZlib
    import ReactiveSockets

    /// Compresses the messages of this side (RFC 7692 section 7.2.1). One thread at a time uses it.
    ///
    /// It owns `2^(windowBits + 2) + 2^(memoryLevel + 9)` bytes: 256 KiB with 15 and 8.
    final class Deflater {
        private let stream: ZlibStream

        /// Returns `nil` if the process is out of memory.
        init?(level: Int, windowBits: Int, memoryLevel: Int) {
            // A negative number means no zlib header.
            let stream = unsafe ZlibStream { state in
                unsafe reactive_zlib_deflate_init(state, Int32(level), -Int32(windowBits), Int32(memoryLevel))
            }
            guard let stream else { return nil }
            self.stream = stream
        }

        deinit { unsafe deflateEnd(stream.state) }

        /// Compresses a message. The result has no `00 00 FF FF` at its end, as RFC 7692 requires.
        func compress(_ message: Bytes) -> Bytes {
            var rest = message
            var parts: [Bytes] = []
            // The first buffer has room for the usual case.
            var capacity = unsafe Int(deflateBound(stream.state, UInt(min(message.count, 1 << 20)))) + 16
            while true {
                let (output, _) = stream.process(&rest, into: capacity) { seesAll in
                    unsafe deflate(stream.state, seesAll ? Z_SYNC_FLUSH : Z_NO_FLUSH)
                }
                parts.append(output)
                if rest.isEmpty, output.count < capacity { break }
                capacity = max(capacity, 64 * 1024)
            }
            let all = parts.count == 1 ? parts[0] : Bytes(joining: parts)
            // An empty stored block ends each flush. zlib leaves it out if there is nothing to flush, so this adds its head.
            return all.count > 4 ? all.dropLast(4) : [0x00]
        }
    }
#endif
