import LoopTestSupport
import SchedulerConformance

/// A random program for a process of its own: threads that use the main thread's loop and a queue's guest while the main thread runs
/// its loop turn by turn, begins and ends runs, and forks.
///
/// Time and threads are real, so two runs differ. What must be the same each time is the outcome: everything that was posted has
/// run once, children end with 0, nothing crashes or waits for good.
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
        /// Until another thread's work has stopped it.
        case untilStopped
        case fork(makesLoop: Bool)

        var isFork: Bool { if case .fork = self { true } else { false } }
    }

    let kind: LoopKind
    /// What it does instead of all steps, on the loop that is the main queue's guest.
    let ends: EndsOfRuns?
    let threads: [[ThreadStep]]
    let mainSteps: [MainStep]
    /// Whether the main thread uses its loop before the other threads exist.
    let isMainFirst: Bool
    /// How long after the other threads the main thread begins: another one may be making the loop then.
    let mainDelay: Duration
    /// Whether the server of the main queue runs the rest, instead of the loop's own run.
    let isLeftToMainQueue: Bool
    /// Whether a post follows when all threads have ended: it would bring along what is lost.
    let hasLastPost: Bool

    /// Makes the program of a seed. Without `forks`, the steps that fork are left out.
    ///
    /// A fork while another thread uses a type for the first time leaves a lock of Swift's runtime held in the child: about one
    /// program in a thousand hangs for that alone.
    package init(seed: UInt64, forks: Bool = false) {
        var random = SeededGenerator(seed: seed)
        ends = forks || Bool.random(using: &random) ? nil : EndsOfRuns(&random)
        // Only the main queue's guest can be left to the main queue; it has most of what can go wrong.
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
    fileprivate init(_ random: inout SeededGenerator) {
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
    fileprivate init(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5: self = .turns(Int.random(in: 1...200, using: &random))
        case 6: self = .untilIdle
        case 7: self = .untilStopped
        default: self = .fork(makesLoop: Bool.random(using: &random))
        }
    }
}
