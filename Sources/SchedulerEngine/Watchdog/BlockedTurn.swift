// SPDX-License-Identifier: MIT

/// A loop that runs callbacks without waiting for longer than the limit of a ``LoopWatchdog``.
///
/// A loop that serves nothing else for so long delays all its timers, connections and jobs.
public struct BlockedTurn: Sendable, CustomStringConvertible {
    /// The loop's name.
    public var loop: String

    /// How long the loop has run callbacks since its last wait.
    ///
    /// It is at least the limit. It does not contain the time for which the process was stopped, or for which the
    /// thread waited for a processor. The watchdog observes at intervals, so the loop may have run callbacks for up to
    /// an eighth of the limit longer.
    public var duration: Duration

    /// The stack of the loop's thread, innermost frame first: the module, the offset in it, and the function.
    ///
    /// It is empty if the stack could not be captured, and in a report that the turn has ended. Functions are known if
    /// the symbol table of the module's file contains them, which `strip` removes.
    public var stack: [String]

    /// Why ``stack`` is empty. `nil` if it is not.
    public var missingStack: String?

    /// One line with the loop and the duration, and one line for each frame.
    public var description: String {
        let first = "loop \(loop) has not waited for \(duration)"
        if let missingStack { return "\(first); \(missingStack)" }
        return ([stack.isEmpty ? first : "\(first); its stack:"] + stack.map { "    \($0)" }).joined(separator: "\n")
    }
}
