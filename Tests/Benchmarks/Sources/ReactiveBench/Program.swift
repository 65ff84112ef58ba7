// SPDX-License-Identifier: MIT
import Measure

/// The measurements of this library: `reactive-bench echo --loop libuv`, `timers`, `turns`, `hops`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        switch arguments.words.first {
        case "echo": try serveEcho(arguments)
        case "timers": try measureTimers(arguments)
        case "firing": try measureFiring(arguments)
        case "turns": try measureTurns(arguments)
        case "hops": try measureHops(arguments)
        default: fail("the first word is echo, timers, firing, turns or hops")
        }
    }
}
