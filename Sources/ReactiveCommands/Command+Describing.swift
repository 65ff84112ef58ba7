// SPDX-License-Identifier: MIT
import ReactiveSupport

extension Command: CustomStringConvertible {
    /// The command in one line: `Command (enabled, 1 under way, 0 waiting)`.
    ///
    /// The first word is `enabled` or `disabled`, as ``isEnabled`` says, or `ended` after the command has ended. The
    /// numbers count executions. Any thread may read it.
    public var description: String {
        core.state.withLock { [strategy = core.strategy] state in
            let access = state.hasEnded ? "ended" : state.isEnabled(strategy) ? "enabled" : "disabled"
            return "Command (\(access), \(state.running) under way, \(state.waiting.count) waiting)"
        }
    }
}
