// SPDX-License-Identifier: MIT
import LoopTestSupport
import Testing

/// Properties of guests beyond the rule book. ConformanceTests checks the rule book on guests too.
@Suite(.serialized)
enum Guests {
    /// Calls `end`, which returns when the host loop has ended. Throws after the time limit of a wait.
    static func waitForEnd(
        _ end: @escaping @Sendable () -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try TestThread(end).join("the end of the host loop", file: file, line: line)
    }
}
