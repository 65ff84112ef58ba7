// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import SchedulerConformance

/// One scenario on the main thread's loop of one kind: `MainLoopProgram <scenario> <kind>`. Prints `ok` at the end.
///
/// The main function is synchronous, because an asynchronous one gives the main thread to the runtime.
@main
enum Program {
    static func main() {
        SignalMask.clear()
        let arguments = CommandLine.arguments
        // Repeated scenarios receive the number of the run.
        guard arguments.count >= 3, let kind = LoopKind(rawValue: arguments[2]),
            let scenario = scenarios[arguments[1]]
        else {
            print("usage: MainLoopProgram \(scenarios.keys.sorted()) \(LoopKind.all.map(\.rawValue))")
            exit(64)
        }
        do {
            try scenario(kind)
            finish()
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    static let scenarios: [String: @Sendable (LoopKind) throws -> Void] = [
        "run": { kind in try running(kind.main) },
        "thread": { kind in try wrongThread(kind.main) },
        "guest": { kind in try guestOfAnother(kind.main) },
        "dispatchMain": { _ in underDispatchMain() },
        "runLoop": { _ in try underRunLoop() },
        "servedElsewhere": { _ in try servedElsewhere() },
        "waiting": { kind in try waiting(kind.main) },
        "order": { kind in try order(kind.main) },
        "crowded": { kind in try crowded(kind.main, underDispatchMain: false) },
        "crowdedGuest": { kind in try crowded(kind.main, underDispatchMain: true) },
        "askedOutside": { kind in try askedWhileItGoes(kind.main, fromInside: false) },
        "askedInside": { kind in try askedWhileItGoes(kind.main, fromInside: true) },
        "alone": { kind in try alone(kind.main) },
        "calledByWork": { _ in calledByWork() },
        "calledByTimer": { _ in calledByTimer() },
        "calledFromElsewhere": { _ in try calledFromElsewhere() },
        "disposedUnused": { _ in try disposedUnused() },
        "firstUse": { kind in firstUseElsewhere(kind) },
        "firstUseOnce": { kind in try firstUseOnce(kind) },
        "lost": { _ in nothingIsLost(200) },
        "lostOnce": { _ in try nothingIsLostOnce() },
        "end": { _ in try actsAtTheEnd() },
        "mainTask": { kind in inAMainTask(kind.main) },
        "foundationTimer": { kind in try besideAFoundationTimer(kind.main) },
        "actor": { kind in actorWithoutDescriptors(kind) },
        "source": { _ in try sourceWithoutMemory() },
        "fork": { kind in try forkedInside(kind.main) },
        "dispose": { kind in try disposal(kind.main) },
        "streams": { kind in try withoutStandardStreams(kind) },
    ]
}

func finish() -> Never {
    print("ok")
    exit(0)
}

func check(_ condition: Bool, _ what: String = "check", line: Int = #line) {
    if condition { return }
    print("line \(line): \(what) failed")
    exit(1)
}
