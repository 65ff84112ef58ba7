public import ReactiveCore
import Synchronization

/// Several loops that share work, each on a thread of its own: one for each core, say.
///
///     let loops = try LoopGroup(count: 4) { number in try LibuvLoop(name: "worker-\(number)") }
public final class LoopGroup: Sendable {
    /// The loops, in order. There is at least one.
    public let loops: [any LoopScheduler]
    private let taken = Atomic<Int>(0)

    /// Makes `count` loops by `make`, which is given their numbers from 0 on. A `count` below one counts as one.
    ///
    /// - Throws: what `make` throws; the loops made before have been disposed then.
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

    /// A group of one loop.
    public init(_ loop: any LoopScheduler) {
        loops = [loop]
    }

    /// The loops in turn, beginning with the first, round and round; those that have been disposed are passed over while there
    /// is another. Any thread.
    public func next() -> any LoopScheduler {
        if loops.count == 1 { return loops[0] }
        for _ in loops {
            let number = taken.add(1, ordering: .relaxed).oldValue
            let loop = loops[Int(UInt(bitPattern: number) % UInt(loops.count))]
            if !loop.isDisposed { return loop }
        }
        return loops[0]
    }

    /// Disposes every loop. Twice is once.
    public func dispose() {
        for loop in loops { loop.dispose() }
    }
}
