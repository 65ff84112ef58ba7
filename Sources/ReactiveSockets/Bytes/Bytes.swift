// SPDX-License-Identifier: MIT
import ReactiveSupport

/// An immutable buffer of bytes that can be sliced and passed on without copying.
///
/// A slice shares the memory of the original by reference, and keeps the original's indices. Even a slice of a few
/// bytes therefore keeps the whole original in memory. Use ``compacted()`` to copy these bytes into memory of their
/// size. Any thread may use `Bytes`. Creating bytes traps if the process is out of memory.
public struct Bytes: Sendable {
    let slab: Slab?
    /// The slab offset of index 0.
    let origin: Int
    /// The first index: 0, or the lower bound of a slice.
    public let startIndex: Int
    /// The index after the last byte.
    public let endIndex: Int

    init(_ slab: Slab, origin: Int, count: Int) {
        self.init(slab: slab, origin: origin, startIndex: 0, endIndex: count)
    }

    private init(slab: Slab?, origin: Int, startIndex: Int, endIndex: Int) {
        self.slab = slab
        self.origin = origin
        self.startIndex = startIndex
        self.endIndex = endIndex
    }

    /// Creates an empty buffer.
    public init() {
        self.init(slab: nil, origin: 0, startIndex: 0, endIndex: 0)
    }

    /// The number of bytes.
    public var count: Int { endIndex - startIndex }

    /// Returns the same bytes in memory that has at most twice their size.
    ///
    /// If their memory is already that small, the result shares it. Otherwise the bytes are copied, and the indices of
    /// the copy begin at 0.
    public func compacted() -> Bytes {
        guard let slab, slab.capacity > count * 2 else { return self }
        return isEmpty ? Bytes() : Bytes(self)
    }
}

extension Bytes: RandomAccessCollection {
    /// The byte at `position`. A position outside ``indices`` traps.
    public subscript(position: Int) -> UInt8 {
        require(
            position >= startIndex && position < endIndex,
            "index \(position) is out of bounds: these bytes have the indices \(indices)"
        )
        return load(position)
    }

    /// The bytes at a range of indices. The slice shares the memory and keeps the indices. A range outside ``indices``
    /// traps.
    public subscript(bounds: Range<Int>) -> Bytes {
        require(
            bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
            "range \(bounds) is out of bounds: these bytes have the indices \(indices)"
        )
        return Bytes(slab: slab, origin: origin, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }

    /// The indices of all bytes.
    public var indices: Range<Int> { startIndex..<endIndex }
}

extension Bytes: Hashable {
    /// Whether both buffers have the same bytes. The indices do not matter.
    public static func == (lhs: Bytes, rhs: Bytes) -> Bool {
        unsafe rhs.withUnsafeBytes { unsafe lhs.count == $0.count && lhs.isEqual(at: 0, to: $0) }
    }

    /// Hashes the bytes. The indices do not matter.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        // Safe: the hasher does not keep the pointer.
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
