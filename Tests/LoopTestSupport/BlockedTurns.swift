// SPDX-License-Identifier: MIT
package import SchedulerEngine

extension BlockedTurn {
    /// Whether `function` may have blocked this turn: it is in the stack, or the stack is missing. A slow machine may cause
    /// reports of other turns too.
    package func mayBlock(in function: String) -> Bool {
        missingStack != nil || stack.contains { $0.contains(function) }
    }
}

/// Repeats an attempt whose stack is missing. A capture waits a second for the thread, and the machine may pause for longer.
package func turnWithStack(_ attempt: () throws -> BlockedTurn) throws -> BlockedTurn {
    for _ in 0..<4 {
        let turn = try attempt()
        if turn.missingStack == nil { return turn }
    }
    return try attempt()
}
