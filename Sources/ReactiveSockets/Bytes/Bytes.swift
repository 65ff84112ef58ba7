/// What travels through sockets: an immutable run of bytes, sliced and passed on without copying.
///
/// It shares its memory by reference with the chunk it was cut from, so keeping a few bytes of a large chunk keeps the chunk;
/// ``compacted()`` is the way out. It may be kept as long as one likes, and used from any thread.
public struct Bytes: Sendable {
    let slab: Slab?
    /// Where in the slab index 0 is.
    let origin: Int
    /// Where they begin: 0, or where a slice was cut.
    public let startIndex: Int
    /// One behind the last.
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

    /// No bytes at all.
    public init() {
        self.init(slab: nil, origin: 0, startIndex: 0, endIndex: 0)
    }

    /// How many there are.
    public var count: Int { endIndex - startIndex }

    /// The same bytes in memory that is at most twice as large: copied, unless it is so already. The indices of a copy
    /// begin at 0.
    public func compacted() -> Bytes {
        guard let slab, slab.capacity > count * 2 else { return self }
        return isEmpty ? Bytes() : Bytes(self)
    }
}

extension Bytes: RandomAccessCollection {
    /// The byte at `position`; it traps outside of ``indices``.
    public subscript(position: Int) -> UInt8 {
        precondition(position >= startIndex && position < endIndex, "index \(position) outside \(indices)")
        return load(position)
    }

    /// A part, sharing the memory; its indices are the same as here.
    public subscript(bounds: Range<Int>) -> Bytes {
        precondition(bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex, "\(bounds) outside \(indices)")
        return Bytes(slab: slab, origin: origin, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }

    /// All positions that there is a byte at.
    public var indices: Range<Int> { startIndex..<endIndex }
}

extension Bytes: Hashable {
    /// Whether the bytes are the same ones, wherever they lie and whatever their indices are.
    public static func == (lhs: Bytes, rhs: Bytes) -> Bool {
        lhs.count == rhs.count && lhs.hasSameBytes(as: rhs)
    }

    /// Hashes the bytes, so that equal ones hash alike.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        // Safe: the hasher copies the bytes during the call.
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
