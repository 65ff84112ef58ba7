// SPDX-License-Identifier: MIT
package import ReactiveCore

/// One step of a program: in a callback, on another thread, or while no thread runs the loop.
///
/// Times are nanoseconds of the simulated clock. A step that creates an object has a number, by which later steps
/// refer to it. A body runs when the object is called.
package indirect enum Step: Sendable, Equatable {
    case task(Int, [Step])
    case scheduled(Int, [Step])
    case timer(Int, Timing, [Step])
    case repeating(Int, Timing, every: Int64, Repetition.Base, times: Int, [Step])
    case cancel(Int)
    /// Watches an end of a channel. Each call reads this many bytes, and the last call disposes the watch.
    case watch(Int, end: Int, Readiness, calls: Int, reads: Int, [Step])
    case interest(Int, Readiness)
    case keepsLoopAlive(Int, Bool)
    case write(end: Int, Int)
    case fill(end: Int)
    case read(end: Int, Int)
    /// Shuts down the writing half.
    case shut(end: Int)
    /// Disposes the watches of the end and closes it.
    case close(end: Int)
    /// Disposes the watches of both ends, and opens new ends with the same numbers.
    case renew(channel: Int)
    case stop
    case dispose
    /// Makes the callback take this long.
    case spend(Int64)
    /// Performs the steps on another thread while this one waits.
    case hop([Step])
    /// Begins a run inside the current callback.
    case run(Drive)

    /// When a timer is due, its leeway, and whether it keeps the loop alive.
    package struct Timing: Sendable, Equatable {
        package var after: Int64
        package var leeway: Int64 = 0
        package var keepsLoopAlive = true

        package init(after: Int64, leeway: Int64 = 0, keepsLoopAlive: Bool = true) {
            self.after = after
            self.leeway = leeway
            self.keepsLoopAlive = keepsLoopAlive
        }
    }
}

/// The way a loop is run.
package enum Drive: String, Sendable, Equatable, CaseIterable {
    case untilStopped = "run()"
    case untilIdle = "runUntilIdle()"
    case waiting = "runOnce(waiting: true)"
    case polling = "runOnce(waiting: false)"
}

extension Step {
    /// The steps that run when the object is called, if any.
    package var body: [Step]? {
        switch self {
        case .task(_, let body), .scheduled(_, let body), .timer(_, _, let body), .hop(let body),
            .repeating(_, _, _, _, _, let body), .watch(_, _, _, _, _, let body):
            body
        default: nil
        }
    }

    /// Returns the step with another body.
    package func with(_ body: [Step]) -> Step {
        switch self {
        case .task(let id, _): .task(id, body)
        case .scheduled(let id, _): .scheduled(id, body)
        case .timer(let id, let timing, _): .timer(id, timing, body)
        case .repeating(let id, let timing, let interval, let base, let times, _):
            .repeating(id, timing, every: interval, base, times: times, body)
        case .watch(let id, let end, let interest, let calls, let reads, _):
            .watch(id, end: end, interest, calls: calls, reads: reads, body)
        case .hop: .hop(body)
        default: self
        }
    }

    /// The number of steps, including those of the body.
    package var count: Int { 1 + (body ?? []).count(of: \.count) }

    fileprivate var headline: String {
        switch self {
        case .task(let id, _): "task \(id)"
        case .scheduled(let id, _): "scheduled \(id)"
        case .timer(let id, let timing, _): "timer \(id) \(timing)"
        case .repeating(let id, let timing, let interval, let base, let times, _):
            "repeating \(id) \(timing) every \(interval) (\(base)), \(times) times"
        case .cancel(let id): "cancel \(id)"
        case .watch(let id, let end, let interest, let calls, let reads, _):
            "watch \(id) of end \(end) for \(interest), \(calls) calls, reads \(reads)"
        case .interest(let id, let interest): "interest of \(id): \(interest)"
        case .keepsLoopAlive(let id, let keeps): "\(id) keeps the loop alive: \(keeps)"
        case .write(let end, let count): "write \(count) to end \(end)"
        case .fill(let end): "fill end \(end)"
        case .read(let end, let count): "read \(count) from end \(end)"
        case .shut(let end): "shut end \(end)"
        case .close(let end): "close end \(end)"
        case .renew(let channel): "renew channel \(channel)"
        case .stop: "stop"
        case .dispose: "dispose the loop"
        case .spend(let time): "spend \(time)"
        case .hop: "on another thread"
        case .run(let drive): drive.rawValue
        }
    }
}

extension Step.Timing: CustomStringConvertible {
    package var description: String {
        "after \(after)" + (leeway == 0 ? "" : " leeway \(leeway)") + (keepsLoopAlive ? "" : " (keeps nothing alive)")
    }
}

extension Sequence where Element == Step {
    package func count(of part: (Step) -> Int) -> Int { reduce(0) { sum, step in sum + part(step) } }

    /// One line for each step, with bodies indented.
    package func lines(indent: String = "") -> [String] {
        flatMap { step in
            [indent + step.headline] + (step.body ?? []).lines(indent: indent + "    ")
        }
    }
}
