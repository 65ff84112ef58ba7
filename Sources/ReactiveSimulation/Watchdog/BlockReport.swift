// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The description of a world whose step does not end: the code that runs, and the stack of its thread.
struct BlockReport: CustomStringConvertible {
    private let seed: UInt64
    private let limit: Duration
    private let step: Int
    private let time: Duration
    /// The loops and threads that have begun a turn or a function and run now, as text.
    private let running: [String]
    /// The threads that the world has stopped in the middle of their work.
    private let stopped: [String]
    private let stack: Result<ThreadStack, ThreadStack.Unavailable>

    /// Captures the state of a world.
    ///
    /// - Parameter driver: The thread that runs the world. It is the blocked one, unless another thread has the baton.
    init(on world: World, runBy driver: ThreadStack.Thread) {
        seed = world.seed
        limit = world.blockingLimit ?? .zero
        (step, time) = (world.steps, world.now)
        let strand = world.strands.running
        running = strand.map { [$0.name] } ?? world.loops.inTurn
        stopped = world.strands.stopped
        // A loaded machine may not run the blocked thread for seconds.
        stack = Result { () throws(ThreadStack.Unavailable) in
            try ThreadStack(of: strand?.thread ?? driver, within: 10_000_000_000)
        }
    }

    var description: String {
        let place = running.isEmpty ? "the world" : running.joined(separator: ", ")
        var lines = [
            """
            simulation: seed \(seed), step \(step) at \(time): \(place) has blocked its thread for \(limit) of real time, \
            which stops the world. Its stack:
            """
        ]
        switch stack {
        case .success(let stack): lines += stack.lines.map { "    \($0)" }
        case .failure(let error): lines.append("    \(error)")
        }
        if !stopped.isEmpty {
            lines.append(
                "Threads that the world has stopped, one of which may own a lock: \(stopped.joined(separator: ", "))"
            )
        }
        return lines.joined(separator: "\n")
    }
}
