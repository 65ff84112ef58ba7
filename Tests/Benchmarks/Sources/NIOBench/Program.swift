// SPDX-License-Identifier: MIT
import Measure
import NIOServers

/// The measurements of SwiftNIO: `nio-bench echo`, `timers`, `firing`, `hops`.
@main
enum Program {
    static func main() throws {
        let arguments = Arguments()
        switch arguments.words.first {
        case "echo": try serveEcho(arguments) { _ in }
        case "timers": try measureTimers(arguments)
        case "firing": try measureFiring(arguments)
        case "hops": try measureHops(arguments)
        default: fail("the first word is echo, timers, firing or hops")
        }
    }
}
