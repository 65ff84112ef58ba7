// SPDX-License-Identifier: MIT
import Dispatch
package import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// A loop that watches new descriptors, and another thread that disposes the watches and closes the descriptors at once.
///
/// The kernel assigns the lowest free number, so nearly every new descriptor has a number that the loop has not
/// forgotten yet. Each new descriptor has data to read: its watch must be called within a few turns.
package final class ReuseStress: Sendable {
    package struct Outcome: Sendable {
        package var called = 0
        package var silent = 0
    }

    private struct Watched {
        let watch: (any DescriptorWatch)?
        let ends: [Int32]
        let wasCalled: Box<Bool>

        /// Called on any thread.
        func end() {
            watch?.dispose()
            for end in ends { Descriptor.close(end) }
        }
    }

    private static let batch = 16
    /// More turns than a watch with data needs to be called.
    private static let patience = 5

    private let loop: any LoopScheduler
    private let rounds: Int
    private let current = Box<[Watched]>([])
    private let outcome = Box(Outcome())
    private let begin = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    private let isOver = Latch()

    private init(_ loop: any LoopScheduler, _ rounds: Int) {
        self.loop = loop
        self.rounds = rounds
    }

    /// Watches `count` descriptors on a loop that another thread runs.
    package static func run(on loop: any LoopScheduler, count: Int) throws -> Outcome {
        let stress = ReuseStress(loop, max(1, count / batch))
        let other = TestThread { stress.endBatches() }
        loop.execute { stress.round(0) }
        try stress.isOver.wait("a loop that watches \(count) descriptors")
        try other.join()
        try loop.sync()
        return stress.outcome.value
    }

    /// Runs on the other thread.
    private func endBatches() {
        for _ in 0..<rounds {
            begin.wait()
            let watched = current.value
            for watched in watched { watched.end() }
            end.signal()
        }
    }

    /// Runs on the loop. The other thread ends the previous batch while this creates the next one, or just before.
    private func round(_ number: Int) {
        begin.signal()
        if number % 2 == 0 { end.wait() }
        let made = (0..<Self.batch).map { index in make(isChanged: (index + number) % 3 == 0) }
        if number % 2 != 0 { end.wait() }
        current.value = made
        count(number, turns: Self.patience)
    }

    private func count(_ number: Int, turns: Int) {
        if turns > 0 { return loop.execute { [self] in count(number, turns: turns - 1) } }
        let made = current.value
        let called = made.count { watched in watched.wasCalled.value }
        outcome.update { outcome in
            outcome.called += called
            outcome.silent += made.count - called
        }
        // Some watches change their interest in this turn. The poller may not have seen the change when the other
        // thread closes the descriptor.
        for watched in made where watched.ends[0] % 3 == 0 { try? watched.watch?.setInterest([.read, .write]) }
        if number + 1 < rounds { return round(number + 1) }
        for watched in made { watched.end() }
        current.value = []
        isOver.arrive()
    }

    private func make(isChanged: Bool) -> Watched {
        let (near, far) = Descriptor.sockets()
        Descriptor.put("x", to: far)
        let wasCalled = Box(false)
        let watch = try? loop.watch(near, for: isChanged ? [.read, .write] : .read) { _ in wasCalled.value = true }
        return Watched(watch: watch, ends: [near, far], wasCalled: wasCalled)
    }
}
