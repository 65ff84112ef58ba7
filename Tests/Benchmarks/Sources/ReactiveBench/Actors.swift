import Measure
import ReactiveCore

/// An actor that lives on a loop.
private actor Resident {
    private let loop: any LoopScheduler
    private var calls = 0

    init(_ loop: any LoopScheduler) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    // Told to nobody else: a call that the compiler could see through would be no call.
    @inline(never)
    func answer() {
        precondition(loop.isCurrent, "not on its loop")
        calls &+= 1
    }

    func call(_ other: Resident, times: Int) async {
        for _ in 0..<times {
            await other.answer()
            // Work of its own after each: without any the compiler sees no reason to come back to this loop.
            answer()
        }
    }
}

/// Calls from an actor on one loop to an actor on another, each waited for.
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
