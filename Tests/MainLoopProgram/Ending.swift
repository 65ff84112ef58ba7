// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import Refusals
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine

/// A host that lets another thread act while a run ends: after the loop has checked for remaining work, and before it
/// calls the host for later work.
private final class SlowHost: YieldingHost {
    let isHere: Bool? = true
    let calls = Box(0)
    let atEnd = Box<(@Sendable () -> Void)?>(nil)

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) {}
    func detach() {}
    func begin() -> Bool { true }
    func runWillBegin() {}
    func runDidEnd() { atEnd.value?() }

    func call() -> YieldingHostAnswer {
        calls.increment()
        return .isCalled
    }
}

/// Work submitted after a run calls the host, whatever another thread does while the run ends (rule M9).
///
/// An earlier failure, with `P` another thread and `M` the main thread:
///
///     M: ends the run: finds no remaining work, and announces that it waits
///     P: stops the loop, or submits work and cancels it: the loop no longer waits; mayCallHost is still false, so the host is not called
///     M: mayCallHost = true; there is no work, so the host is not called
///     P: submits work: the loop does not wait, so the host is not called
func actsAtTheEnd() throws {
    let host = SlowHost()
    let loop = EpollLoop.mainLoop { host }
    let acts: [(String, @Sendable () -> Void)] = [
        ("nothing", {}),
        ("a stop", { loop.stop() }),
        ("work", { loop.execute {} }),
        ("cancelled work", { for _ in 0..<64 { loop.schedule {}.dispose() } }),
        ("cancelled timers", { for _ in 0..<64 { loop.schedule(after: .seconds(60)) {}.dispose() } }),
    ]
    for (what, act) in acts {
        host.atEnd.value = { SystemThread.orTrap(name: "actor", act).join() }
        try loop.runOnce(waiting: false)
        host.atEnd.value = nil
        SystemThread.orTrap(name: "poster") { loop.execute {} }.join()
        check(host.calls.value > 0, "work after \(what) at the run's end does not call the host")
        try loop.turns(3)
        host.calls.value = 0
    }
}

private actor OnMain {
    private let kind: LoopKind
    private(set) var count = 0

    init(_ kind: LoopKind) { self.kind = kind }

    nonisolated var unownedExecutor: UnownedSerialExecutor { kind.main.asUnownedSerialExecutor() }

    func increment() { count += 1 }
}

/// Without a descriptor for the main loop, jobs of an actor on it run elsewhere. The loop that refuses everything
/// remains (rules E3, X7).
func actorWithoutDescriptors(_ kind: LoopKind) {
    guard refusals_are_possible() else { return print("skipped under a sanitizer") }
    let actor = OnMain(kind)
    // Refuses only the loop's eventfd: libdispatch opens files of /proc for its threads, and ends the process if it
    // gets no descriptor.
    refuse(REFUSABLE_EVENTFD.rawValue, EMFILE, 0, .max)
    check(kind.main.isDisposed, "the main loop was made without descriptors")
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<20 {
        Task.detached {
            for _ in 0..<10 { await actor.increment() }
            done.signal()
        }
    }
    for _ in 0..<20 { done.wait() }
    refuse_nothing()
    check(!kind.main.isDisposed, "the main loop was not made with descriptors")
}

/// If the kernel refuses to register libdispatch's descriptors, a timer that is set between runs fires in the next run.
/// The main queue serves the loop if it is used when the kernel has memory again.
func sourceWithoutMemory() throws {
    guard refusals_are_possible() else { return print("skipped under a sanitizer") }
    let loop = DispatchLoop.main
    refuse(REFUSABLE_EPOLL_ADD.rawValue, ENOSPC, 0, .max)
    refuse_libraries_too()
    loop.schedule(after: .milliseconds(1)) { loop.stop() }
    check(refusals() > 0, "nothing was refused")
    refuse_nothing()
    try loop.run()

    // The main queue takes work of other threads during the refusals and afterwards.
    let taken = Latch()
    refuse(REFUSABLE_EPOLL_ADD.rawValue, ENOSPC, 0, .max)
    refuse_libraries_too()
    _ = TestThread {
        for _ in 0..<2 {
            loop.execute { taken.arrive() }
            check((try? taken.wait("work of another thread")) != nil, "work is not taken while the kernel refuses")
        }
        check(refusals() > 0, "nothing was refused")
        refuse_nothing()
        loop.execute { loop.schedule(after: .milliseconds(1)) { finish() } }
    }
    dispatchMain()
}
