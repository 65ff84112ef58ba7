import Glibc

// Safe: `Bytes` holds its slab, and its bounds lie within the slab's capacity.
extension Bytes {
    /// Calls `body` with the bytes in place; the pointer is good during the call only.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Whoever has the bytes has the slab: it need not be held once more for the call.
        let start = unsafe slab.map { slab in unsafe UnsafeRawPointer(slab.base + origin + startIndex) }
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls `body` with the bytes in place, as a span.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBytes { (buffer) throws(Failure) -> Result in
            try unsafe buffer.withMemoryRebound(to: UInt8.self) { (bytes) throws(Failure) -> Result in
                try unsafe body(bytes.span)
            }
        }
    }

    /// Calls `body` with the bytes in place: what makes copying them to an array or a string one call.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe withUnsafeBytes { buffer in
            try unsafe buffer.withMemoryRebound(to: UInt8.self) { bytes in try unsafe body(bytes) }
        }
    }

    /// What `Array(bytes)` and `array.append(contentsOf: bytes)` copy by: without it they take byte after byte.
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

    /// Makes bytes of their own memory, filled by `fill`, which returns how many it has written: at most `capacity`.
    init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let slab = Slab(capacity: capacity)
        let count = unsafe fill(UnsafeMutableRawBufferPointer(start: slab.base, count: capacity))
        self.init(slab, origin: 0, count: count)
    }

    /// Copies a run of memory; nothing at all needs no memory of its own.
    init(copying memory: UnsafeRawBufferPointer) {
        guard let base = memory.baseAddress, memory.count > 0 else {
            self.init()
            return
        }
        let slab = Slab(capacity: memory.count)
        unsafe slab.base.copyMemory(from: base, byteCount: memory.count)
        self.init(slab, origin: 0, count: memory.count)
    }

    /// Whether the bytes are those of `other`, which has as many.
    func hasSameBytes(as other: Bytes) -> Bool {
        unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { others in
                guard let mine = mine.baseAddress, let others = others.baseAddress else { return true }
                return unsafe memcmp(mine, others, count) == 0
            }
        }
    }

    /// The byte at an index that has been checked.
    func load(_ index: Int) -> UInt8 {
        guard let slab else { preconditionFailure("no bytes") }
        return unsafe slab.base.load(fromByteOffset: origin + index, as: UInt8.self)
    }
}
