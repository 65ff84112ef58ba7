// SPDX-License-Identifier: MIT
/// The work of a million jobs. Each job captures only this object, like a node of the C programs with its one
/// argument. The jobs count, and the last one signals.
///
/// Why `@unchecked Sendable` is correct: one loop counts, and the waiting thread reads nothing.
public final class Flood: @unchecked Sendable {
    private let count: Int
    private let over = Finish()
    @exclusivity(unchecked)
    private var counted = 0

    /// Creates the work of `count` jobs.
    public init(_ count: Int) { self.count = count }

    /// Runs one job.
    public func step() {
        counted &+= 1
        if counted == count { over.signal() }
    }

    /// Waits for the last job.
    public func wait() { over.wait() }
}
