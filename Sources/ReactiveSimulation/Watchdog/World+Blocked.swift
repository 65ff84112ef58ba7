// SPDX-License-Identifier: MIT
import ReactiveSupport

extension World {
    /// Describes this world, whose step does not end: the code that runs, and the stack of its thread.
    ///
    /// - Parameter driver: The thread that runs the world. It is the blocked one, unless another thread has the baton.
    func blockReport(runBy driver: ThreadStack.Thread) -> String {
        let (step, time, limit) = (steps, now, blockingLimit ?? .zero)
        let strand = strands.running
        let running = strand.map { [$0.name] } ?? loops.inTurn
        let stopped = strands.stopped
        let place = running.isEmpty ? "the world" : running.joined(separator: ", ")
        var lines = [
            """
            simulation: seed \(seed), step \(step) at \(time): \(place) has blocked its thread for \(limit) of real time, \
            which stops the world. Its stack:
            """
        ]
        do {
            // A loaded machine may not run the blocked thread for seconds.
            let stack = try ThreadStack(of: strand?.thread ?? driver, within: 10_000_000_000)
            lines += stack.lines.map { "    \($0)" }
        } catch {
            lines.append("    \(error)")
        }
        if !stopped.isEmpty {
            lines.append(
                "Threads that the world has stopped, one of which may own a lock: \(stopped.joined(separator: ", "))"
            )
        }
        return lines.joined(separator: "\n")
    }
}

extension Strands {
    /// The loop or thread that has the baton, as text, and its thread unless that has not begun. nil if the world's thread
    /// runs.
    fileprivate var running: (name: String, thread: ThreadStack.Thread?)? {
        state.withLockAtOnce { state in state.running.map { ($0.summary, $0.thread) } }
    }

    /// The strands that the world has stopped in the middle of their work, as text.
    fileprivate var stopped: [String] {
        state.withLockAtOnce { state in state.all.filter { $0.isStopped }.map(\.summary) }
    }
}

extension Strand {
    fileprivate var summary: String { "\(isLoop ? "loop" : "thread") \(name) on host \(host.name)" }
}
