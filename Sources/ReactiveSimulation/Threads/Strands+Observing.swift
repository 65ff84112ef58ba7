// SPDX-License-Identifier: MIT
import ReactiveSupport

/// What the watchdog reads, on its own thread.
extension Strands {
    /// A strand that has the baton.
    struct Running {
        /// The loop or thread, and its host, as text.
        let name: String
        /// nil if the thread has not begun.
        let thread: ThreadStack.Thread?
    }

    /// The strand that has the baton. nil if the world's thread runs.
    var running: Running? {
        state.withLockAtOnce { state in
            state.running.map { strand in Running(name: strand.summary, thread: strand.thread) }
        }
    }

    /// The strands that the world has stopped in the middle of their work, as text.
    var stopped: [String] {
        state.withLockAtOnce { state in state.all.filter { $0.isStopped }.map(\.summary) }
    }
}

extension Strand {
    fileprivate var summary: String { "\(isLoop ? "loop" : "thread") \(name) on host \(host.name)" }
}
