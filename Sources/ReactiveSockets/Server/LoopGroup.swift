// SPDX-License-Identifier: MIT
public import ReactiveCore
import Synchronization

/// One or more loops that share work, such as one loop for each core. Any thread may use every member.
///
/// ```swift
/// let loops = try LoopGroup(count: 4) { number in try DispatchLoop(name: "worker-\(number)") }
/// ```
public final class LoopGroup: Sendable {
    /// The loops, in order. There is at least one.
    public let loops: [any LoopScheduler]
    private let taken = Atomic<Int>(0)

    /// Creates `count` loops with `make`, in order, on the calling thread.
    ///
    /// - Parameters:
    ///   - count: The number of loops. A value below 1 counts as 1.
    ///   - make: Creates a loop. Its parameter counts from 0.
    /// - Throws: The error that `make` throws. The loops that it has already created are disposed.
    public init<Failure: Error>(
        count: Int,
        _ make: (_ number: Int) throws(Failure) -> any LoopScheduler
    ) throws(Failure) {
        var loops: [any LoopScheduler] = []
        do {
            for number in 0..<max(1, count) { loops.append(try make(number)) }
        } catch {
            for loop in loops { loop.dispose() }
            throw error
        }
        self.loops = loops
    }

    /// Creates a group of one loop.
    ///
    /// - Parameter loop: The loop. ``dispose()`` disposes it.
    public init(_ loop: any LoopScheduler) {
        loops = [loop]
    }

    /// Returns the next loop, round-robin, beginning with the first. It skips disposed loops. If all are disposed, it
    /// returns the first.
    public func next() -> any LoopScheduler {
        if loops.count == 1 { return loops[0] }
        for _ in loops {
            let number = taken.add(1, ordering: .relaxed).oldValue
            let loop = loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
            if !loop.isDisposed { return loop }
        }
        return loops[0]
    }

    /// Disposes every loop. Later calls do nothing.
    public func dispose() {
        for loop in loops { loop.dispose() }
    }
}
