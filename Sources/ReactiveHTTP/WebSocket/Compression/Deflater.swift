// SPDX-License-Identifier: MIT
#if HTTP
    import CZlib
    import ReactiveSockets

    /// Compresses the messages of this side (RFC 7692 section 7.2.1). One thread at a time uses it.
    ///
    /// It owns `2^(windowBits + 2) + 2^(memoryLevel + 9)` bytes: 256 KiB with 15 and 8.
    ///
    /// Safe: the pointer is private, and is deallocated with the object.
    @safe
    final class Deflater {
        /// zlib requires that its state does not move.
        private let stream: UnsafeMutablePointer<z_stream>

        /// Returns `nil` if the process is out of memory.
        init?(level: Int, windowBits: Int, memoryLevel: Int) {
            unsafe stream = .allocate(capacity: 1)
            unsafe stream.initialize(to: z_stream())
            // A negative number means no zlib header.
            let result = unsafe reactive_zlib_deflate_init(stream, Int32(level), -Int32(windowBits), Int32(memoryLevel))
            if result != Z_OK {
                unsafe stream.deallocate()
                return nil
            }
        }

        deinit {
            unsafe deflateEnd(stream)
            unsafe stream.deallocate()
        }

        /// Compresses a message. The result has no `00 00 FF FF` at its end, as RFC 7692 requires.
        func compress(_ message: Bytes) -> Bytes {
            var rest = message
            var parts: [Bytes] = []
            // The first buffer has room for the usual case.
            var capacity = unsafe Int(deflateBound(stream, UInt(min(message.count, 1 << 20)))) + 16
            while true {
                let (output, isDone) = deflateOnce(&rest, capacity)
                parts.append(output)
                if isDone { break }
                capacity = max(capacity, 64 * 1024)
            }
            let all = parts.count == 1 ? parts[0] : Bytes(joining: parts)
            // An empty stored block ends each flush. zlib leaves it out if there is nothing to flush, so this adds its head.
            return all.count > 4 ? all.dropLast(4) : [0x00]
        }

        /// Safe: zlib reads and writes within the counts during the call.
        private func deflateOnce(_ rest: inout Bytes, _ capacity: Int) -> (Bytes, isDone: Bool) {
            var consumed = 0
            var isFull = false
            let output = unsafe Bytes(capacity: capacity) { target in
                unsafe rest.withUnsafeBytes { source in
                    let given = min(source.count, Int(UInt32.max))
                    unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                        mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    )
                    unsafe stream.pointee.avail_in = UInt32(given)
                    unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe stream.pointee.avail_out = UInt32(capacity)
                    unsafe deflate(stream, given == source.count ? Z_SYNC_FLUSH : Z_NO_FLUSH)
                    consumed = unsafe given - Int(stream.pointee.avail_in)
                    isFull = unsafe stream.pointee.avail_out == 0
                    return unsafe capacity - Int(stream.pointee.avail_out)
                }
            }
            rest = rest.dropFirst(consumed)
            return (output, rest.isEmpty && !isFull)
        }
    }
#endif
