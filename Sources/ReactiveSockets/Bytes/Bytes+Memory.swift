// SPDX-License-Identifier: MIT
// Safe: `Bytes` retains its slab, and its bounds lie within the slab's capacity.
extension Bytes {
    /// Calls `body` with the bytes in place. The pointer is valid only during the call.
    ///
    /// - Parameter body: Reads the bytes. The base address of empty bytes may be `nil`.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The caller retains the bytes and thus the slab, so a second retain is unnecessary.
        let start = unsafe slab.map { slab in unsafe UnsafeRawPointer(slab.base + origin + startIndex) }
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls `body` with the bytes in place, as a span. The span's indices begin at 0, even if these bytes are a slice.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBytes { (buffer) throws(Failure) -> Result in
            try unsafe buffer.withMemoryRebound(to: UInt8.self) { (bytes) throws(Failure) -> Result in
                try unsafe body(bytes.span)
            }
        }
    }

    /// Calls `body` with the bytes in place. The standard library calls this to copy all bytes with one call.
    ///
    /// - Returns: The result of `body`, never nil.
    /// - Throws: The error that `body` throws.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe withUnsafeBytes { buffer in
            try unsafe buffer.withMemoryRebound(to: UInt8.self) { bytes in try unsafe body(bytes) }
        }
    }

    /// Copies the bytes into a buffer. `Array(bytes)` and `append(contentsOf:)` call this instead of copying byte by
    /// byte.
    public func _copyContents(
        initializing buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (Iterator, UnsafeMutableBufferPointer<UInt8>.Index) {
        let copied = Swift.min(buffer.count, count)
        let rest = self[startIndex + copied..<endIndex].makeIterator()
        unsafe withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: $0[..<copied])
            )
        }
        return (rest, copied)
    }

    /// Allocates `capacity` bytes and calls `fill` with them. `fill` returns the number of bytes that it has written.
    package init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let slab = Slab(capacity: capacity)
        let count = unsafe fill(UnsafeMutableRawBufferPointer(start: slab.base, count: capacity))
        self.init(slab, origin: 0, count: count)
    }

    /// Calls `fill` with at most `limit` bytes of a slab that the thread's transformers share. `fill` returns the number
    /// of bytes that it has written.
    package init(forApplicationAtMost limit: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        self = unsafe SlabCache.output(to: .application).makeOutput(atMost: limit, atLeast: 1, fill)
    }

    /// Like ``init(forApplicationAtMost:_:)``, with at least `needed` bytes, for the output to the peer.
    package init(forPeerAtMost limit: Int, atLeast needed: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        self = unsafe SlabCache.output(to: .peer).makeOutput(atMost: limit, atLeast: needed, fill)
    }

    /// Copies memory. An empty buffer allocates nothing.
    package init(copying memory: UnsafeRawBufferPointer) {
        guard let base = memory.baseAddress, memory.count > 0 else {
            self.init()
            return
        }
        let slab = Slab(capacity: memory.count)
        unsafe slab.base.copyMemory(from: base, byteCount: memory.count)
        self.init(slab, origin: 0, count: memory.count)
    }

    /// The byte at an index that the caller has checked.
    func load(_ index: Int) -> UInt8 {
        guard let slab else { fatalError("empty bytes have no index") }
        return unsafe slab.base.load(fromByteOffset: origin + index, as: UInt8.self)
    }
}
