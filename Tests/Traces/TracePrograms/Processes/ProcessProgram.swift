// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance

/// A random program that runs in its own process. Threads use the main thread's loop and the guest of a queue, while
/// the main thread runs its loop turn by turn, begins and ends runs, and forks.
///
/// Time and threads are real, so two runs differ. The outcome must always be the same: all posted work has run once,
/// children exit with 0, and no process crashes or hangs.
package struct ProcessProgram: Sendable, CustomStringConvertible {
    enum ThreadStep: Sendable {
        case post(Int)
        case timer(microseconds: Int)
        case cancelledTimer
        case postToGuest
        case yield(Int)
    }

    enum MainStep: Sendable {
        case turns(Int)
        case untilIdle
        /// Runs until work of another thread stops the loop.
        case untilStopped
        case fork(makesLoop: Bool)

        var isFork: Bool { if case .fork = self { true } else { false } }
    }

    let kind: LoopKind
    /// Replaces all steps, on the loop that is a guest of the main queue.
    let ends: EndsOfRuns?
    let threads: [[ThreadStep]]
    let mainSteps: [MainStep]
    /// Whether the main thread uses its loop before the other threads exist.
    let isMainFirst: Bool
    /// The delay of the main thread behind the other threads, one of which may be creating the loop then.
    let mainDelay: Duration
    /// Whether the server of the main queue runs the remaining work, instead of the loop's own run.
    let isLeftToMainQueue: Bool
    /// Whether a post follows after all threads have ended. That post would also run lost work.
    let hasLastPost: Bool

    /// Generates the program of a seed. Without `forks`, the steps that fork are left out.
    ///
    /// A fork while another thread first uses a type leaves a lock of the Swift runtime held in the child. About one
    /// program in a thousand hangs for that reason alone.
    package init(seed: UInt64, forks: Bool = false) {
        var random = SplitMix64(seed: seed)
        ends = forks || Bool.random(using: &random) ? nil : EndsOfRuns(&random)
        // Only the guest of the main queue can be left to the main queue. It also has the most possible failures.
        let isDispatch = ends != nil || Int.random(in: 0..<3, using: &random) > 0
        kind = isDispatch ? .dispatch : LoopKind.all.randomElement(using: &random) ?? .dispatch
        isMainFirst = ends != nil || Int.random(in: 0..<3, using: &random) == 0
        isLeftToMainQueue = kind == .dispatch && Bool.random(using: &random)
        hasLastPost = Bool.random(using: &random)
        mainDelay = .microseconds(Int.random(in: 0..<600, using: &random))
        if ends != nil {
            (threads, mainSteps) = ([], [])
            return
        }
        threads = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            (0..<Int.random(in: 1...40, using: &random)).map { _ in ThreadStep(&random) }
        }
        let steps = (0..<Int.random(in: 1...6, using: &random)).map { _ in MainStep(&random) }
        mainSteps = steps.filter { step in forks || !step.isFork }
    }

    package var description: String {
        """
        \(kind), \(isMainFirst ? "the main thread" : "any thread") first, left to \(isLeftToMainQueue ? "the main queue" : "a run")\
        \(hasLastPost ? ", one more post at the end" : "")
        \(ends.map { "\($0)\n" } ?? "")main, after \(mainDelay): \(mainSteps)
        \(threads.map { "thread: \($0)" }.joined(separator: "\n"))
        """
    }
}

extension ProcessProgram.ThreadStep {
    fileprivate init(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: self = .post(Int.random(in: 1...50, using: &random))
        case 4, 5: self = .timer(microseconds: Int.random(in: 0...500, using: &random))
        case 6: self = .cancelledTimer
        case 7: self = .postToGuest
        default: self = .yield(Int.random(in: 1...100, using: &random))
        }
    }
}

extension ProcessProgram.MainStep {
    fileprivate init(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5: self = .turns(Int.random(in: 1...200, using: &random))
        case 6: self = .untilIdle
        case 7: self = .untilStopped
        default: self = .fork(makesLoop: Bool.random(using: &random))
        }
    }
}
