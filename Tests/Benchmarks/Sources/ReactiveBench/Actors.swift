// SPDX-License-Identifier: MIT
import Measure
import ReactiveCore

/// An actor whose executor is a loop.
private actor Resident {
    private let loop: any LoopScheduler
    private var calls = 0

    init(_ loop: any LoopScheduler) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    // Not inlined, because the compiler could otherwise remove the call.
    @inline(never)
    func answer() {
        precondition(loop.isCurrent, "not on its loop")
        calls &+= 1
    }

    func call(_ other: Resident, times: Int) async {
        for _ in 0..<times {
            await other.answer()
            // Each call is followed by work on this actor. Without it the compiler would not return to this loop.
            answer()
        }
    }
}

/// Calls from an actor on one loop to an actor on another, each awaited.
func actorCalls(_ near: any LoopScheduler, _ far: any LoopScheduler, _ who: String, _ count: Int) -> Sample {
    let (caller, callee, done) = (Resident(near), Resident(far), Finish())
    return measure("actor", who, events: count) {
        Task.detached {
            await caller.call(callee, times: count)
            done.signal()
        }
        done.wait()
    }
}
