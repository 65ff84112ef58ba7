// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import SchedulerConformance

/// One scenario on one kind of loop: `ForkProgram <scenario> <kind>`. Prints `ok` at the end.
@main
enum Program {
    static func main() {
        SignalMask.clear()
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let kind = LoopKind(rawValue: arguments[2]), let scenario = scenarios[arguments[1]]
        else {
            print("usage: ForkProgram \(scenarios.keys.sorted()) \(LoopKind.all.map(\.rawValue))")
            exit(64)
        }
        do {
            try scenario(kind)
            print("ok")
            exit(0)
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    static let scenarios: [String: @Sendable (LoopKind) throws -> Void] = [
        "signals": childSignals,
        "signalAtFork": signalAtFork,
        "parentsLoop": parentsLoop,
        "childsLoop": childsLoop,
        "insideCaller": insideCaller,
        "insideOwned": insideOwned,
        "names": names,
        "refusedSockets": refusedSockets,
        "signalsOfChild": { _ in try childsSignals() },
        "pool": { _ in try parentsPool() },
        "watchdog": parentsWatchdog,
        "captureAtFork": captureAtFork,
        "stopped": stoppedProcess,
        "reusedNumbers": reusedNumbers,
    ]
}

func expect(_ condition: Bool, _ what: @autoclosure () -> String, line: UInt = #line) throws {
    if !condition { throw Failure(description: "line \(line): \(what())") }
}

struct Failure: Error, CustomStringConvertible { let description: String }
