// SPDX-License-Identifier: MIT
package import SchedulerEngine

/// Repeats an attempt whose stack is missing. A capture waits a second for the thread, and the machine may pause for longer.
package func turnWithStack(_ attempt: () throws -> BlockedTurn) throws -> BlockedTurn {
    for _ in 0..<4 {
        let turn = try attempt()
        if turn.missingStack == nil { return turn }
    }
    return try attempt()
}
