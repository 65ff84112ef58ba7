// SPDX-License-Identifier: MIT
#if HTTP
    import CZlib
    import ReactiveSockets

    /// Decompresses the messages of a peer (RFC 7692 section 7.2.2), one buffer at a time. The caller stops it at a limit.
    ///
    /// It owns about 7 KiB and a window of at most 32 KiB. One thread at a time uses it.
    ///
    /// Safe: the pointer is private, and is deallocated with the object.
    @safe
    final class Inflater {
        /// zlib requires that its state does not move.
        private let stream: UnsafeMutablePointer<z_stream>
        private var input = Bytes()
        /// Whether the last buffer was full, so that zlib may hold more output.
        private var mayHaveMore = false

        /// The maximum number of bytes of one buffer of output.
        static let outputLimit = 16 * 1024

        /// Returns `nil` if the process is out of memory.
        init?(windowBits: Int) {
            unsafe stream = .allocate(capacity: 1)
            unsafe stream.initialize(to: z_stream())
            // A negative number means no zlib header.
            if unsafe reactive_zlib_inflate_init(stream, -Int32(windowBits)) != Z_OK {
                unsafe stream.deallocate()
                return nil
            }
        }

        deinit {
            unsafe inflateEnd(stream)
            unsafe stream.deallocate()
        }

        /// Adds compressed bytes. The earlier ones have been consumed: ``next()`` has returned `nil`.
        func add(_ bytes: Bytes) { input = bytes }

        /// Returns the next decompressed bytes, or `nil` if more input is needed.
        ///
        /// - Throws: `protocolViolation` if the input is not a DEFLATE stream.
        func next() throws(WebSocketError) -> Bytes? {
            while !input.isEmpty || mayHaveMore {
                let capacity = min(max(input.count * 4, 256), Self.outputLimit)
                let (output, result) = inflateOnce(capacity)
                mayHaveMore = output.count == capacity
                switch result {
                case Z_OK, Z_BUF_ERROR: break
                // A final block ends the DEFLATE stream, but not the message or its window (RFC 7692 section 7.2.3.4).
                case Z_STREAM_END: unsafe inflateResetKeep(stream)
                default: throw WebSocketError(.protocolViolation, "the peer sent a message that cannot be decompressed")
                }
                if !output.isEmpty { return output.compacted() }
                if result == Z_BUF_ERROR { break }
            }
            input = Bytes()
            mayHaveMore = false
            return nil
        }

        /// Safe: zlib reads and writes within the counts during the call.
        private func inflateOnce(_ capacity: Int) -> (Bytes, Int32) {
            var result = Z_OK
            var consumed = 0
            let output = unsafe Bytes(capacity: capacity) { target in
                unsafe input.withUnsafeBytes { source in
                    let given = min(source.count, Int(UInt32.max))
                    unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                        mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    )
                    unsafe stream.pointee.avail_in = UInt32(given)
                    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe stream.pointee.avail_out = UInt32(capacity)
                    result = unsafe inflate(stream, Z_SYNC_FLUSH)
                    consumed = unsafe given - Int(stream.pointee.avail_in)
                    return unsafe capacity - Int(stream.pointee.avail_out)
                }
            }
            input = consumed == input.count ? Bytes() : input.dropFirst(consumed)
            return (output, result)
        }
    }
#endif
