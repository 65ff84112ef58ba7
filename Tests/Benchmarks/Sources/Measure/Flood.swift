/// What a million pieces of work do, each of which captures this and nothing else, as a node of the C programs has one
/// argument: they count, and the last one says so.
///
/// Why `@unchecked Sendable` is right: one loop counts, and who waits for the last one reads nothing.
public final class Flood: @unchecked Sendable {
    private let count: Int
    private let over = Finish()
    @exclusivity(unchecked)
    private var counted = 0

    /// One of so many pieces.
    public init(_ count: Int) { self.count = count }

    /// One piece of work.
    public func step() {
        counted &+= 1
        if counted == count { over.signal() }
    }

    /// Waits for the last one.
    public func wait() { over.wait() }
}
