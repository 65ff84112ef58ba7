// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerDispatch
import Synchronization

/// Rounds in which short runs of `DispatchLoop.main` end again and again, while other threads post to it, cancel work
/// and stop it.
///
/// At the end of a round the threads are idle, the loop does not run, and there is work. The main queue must have
/// been called by then; otherwise its owner would never run that work (rule M9). The run of the next round takes the
/// call of the main queue, so that the next call can be lost again.
///
/// From the first timer on, the main queue always watches the loop and needs no further call. So a timer is set last,
/// at the end of a last run, when nothing else calls the main queue.
struct EndsOfRuns: Sendable, CustomStringConvertible {
    private let rounds: Int
    private let mostRuns: Int
    private let mostSteps: Int
    private let threads: Int
    private let hasTimer: Bool
    private let seed: UInt64

    init(_ random: inout SplitMix64) {
        hasTimer = Bool.random(using: &random)
        rounds = Int.random(in: hasTimer ? 0...1 : 20...200, using: &random)
        mostRuns = Int.random(in: 2...6, using: &random)
        mostSteps = Int.random(in: 1...60, using: &random)
        threads = Int.random(in: 1...2, using: &random)
        seed = random.next()
    }

    var description: String {
        """
        \(rounds) rounds of up to \(mostRuns) runs, beside \(threads) threads of up to \(mostSteps) steps each\
        \(hasTimer ? ", and a timer at the end of a last run" : "")
        """
    }

    /// The round that has begun, the round whose runs have ended, and how often a thread has finished its part of a
    /// round.
    private final class Progress: Sendable {
        let begun = Atomic<Int>(0)
        let ended = Atomic<Int>(0)
        let arrivals = Atomic<Int>(0)

        /// Waits until `number` is reached. Sleeps after a while, because yielding takes long on a busy machine.
        static func wait(for number: Int, _ progress: borrowing Atomic<Int>) {
            var looks = 0
            while progress.load(ordering: .sequentiallyConsistent) < number {
                looks += 1
                if looks < 20 { sched_yield() } else { Platform.pause(.microseconds(20)) }
            }
        }

        /// Ends the threads that have not ended yet.
        func abandon() {
            begun.store(.max, ordering: .sequentiallyConsistent)
            ended.store(.max, ordering: .sequentiallyConsistent)
        }
    }

    /// Runs the rounds on the main thread. Returns false if the main queue must be served now, without another run:
    /// its owner then shows whether work or the timer is lost.
    func run(_ tally: Tally) throws -> Bool {
        var random = SplitMix64(seed: seed)
        if try !runRounds(&random, tally) { return false }
        if hasTimer { try setTimer(&random, tally) }
        return !hasTimer
    }

    private func runRounds(_ random: inout SplitMix64, _ tally: Tally) throws -> Bool {
        let progress = Progress()
        let started = (0..<threads).map { number in
            SystemThread.orTrap(name: "poster") {
                act(SplitMix64(seed: seed &+ UInt64(number) &+ 1), progress, tally)
            }
        }
        defer {
            progress.abandon()
            for thread in started { thread.join() }
        }
        for round in stride(from: 1, through: rounds, by: 1) {
            progress.begun.store(round, ordering: .sequentiallyConsistent)
            for _ in 0..<Int.random(in: 1...mostRuns, using: &random) { try runLoop(&random) }
            progress.ended.store(round, ordering: .sequentiallyConsistent)
            Progress.wait(for: round * threads, progress.arrivals)
            if tally.isSettled || Bool.random(using: &random) { tally.post(to: DispatchLoop.main) }
            if !MainQueueOwner.isCalled { return false }
        }
        return true
    }

    private func runLoop(_ random: inout SplitMix64) throws {
        // Between two runs another thread may ask the main queue's host, whose answer may arrive when the next run
        // ends.
        if Bool.random(using: &random) { for _ in 0..<Int.random(in: 1...20, using: &random) { sched_yield() } }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try DispatchLoop.main.runUntilIdle()
        // The other threads stop this run.
        case 1: try DispatchLoop.main.run()
        default: try DispatchLoop.main.runOnce(waiting: false)
        }
    }

    /// The steps of each of the other threads.
    private func act(_ seeded: SplitMix64, _ progress: Progress, _ tally: Tally) {
        var random = seeded
        for round in stride(from: 1, through: rounds, by: 1) {
            Progress.wait(for: round, progress.begun)
            var left = Int.random(in: 0...mostSteps, using: &random)
            while progress.ended.load(ordering: .sequentiallyConsistent) < round {
                if left == 0 {
                    DispatchLoop.main.stop()
                    Platform.pause(.microseconds(20))
                } else {
                    left -= 1
                    step(&random, tally)
                }
            }
            progress.arrivals.add(1, ordering: .sequentiallyConsistent)
        }
    }

    private func step(_ random: inout SplitMix64, _ tally: Tally) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: DispatchLoop.main.stop()
        case 1, 2: DispatchLoop.main.schedule {}.dispose()
        case 3, 4: sched_yield()
        default: tally.post(to: DispatchLoop.main)
        }
    }

    /// Another thread sets a timer some time after a run has begun, possibly while the run ends.
    private func setTimer(_ random: inout SplitMix64, _ tally: Tally) throws {
        let (yields, microseconds) = (Int.random(in: 0...100, using: &random), Int.random(in: 0...300, using: &random))
        let progress = Progress()
        let thread = SystemThread.orTrap(name: "setter") {
            Progress.wait(for: 1, progress.begun)
            for _ in 0..<yields { sched_yield() }
            tally.setTimer(on: DispatchLoop.main, microseconds: microseconds)
        }
        progress.begun.store(1, ordering: .sequentiallyConsistent)
        try DispatchLoop.main.runOnce(waiting: false)
        thread.join()
    }
}
