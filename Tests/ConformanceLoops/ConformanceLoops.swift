// SPDX-License-Identifier: MIT
import GuestHosts
package import ReactiveCore
package import SchedulerConformance
import SchedulerDispatch
package import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

/// The loops of this build, as descriptions for the kit.
package enum ConformanceLoops {
    /// The seed of random choices. CI fixes it. Otherwise it is nil, and each run has another one, which a failure prints.
    package static let seed = Platform.variable("CONFORMANCE_SEED").flatMap { UInt64($0) }

    package static let all: [LoopDescription] = {
        var all = [dispatch]
        #if Libuv
            all.append(libuv)
        #endif
        #if Libevent
            all.append(libevent)
        #endif
        return all + GuestKind.all.map { kind in guest(kind) } + [virtual, testScheduler, simulated]
    }()

    package static let dispatch: LoopDescription = {
        // The concrete type is named here: in generic code `main` would return a main loop that does not have the
        // main queue as its host.
        var dispatch = description("dispatch", of: DispatchLoop.self, main: { DispatchLoop.main })
        dispatch.isMainLoopServedByMainQueue = true
        return dispatch
    }()

    #if Libuv
        package static let libuv = description("libuv", of: LibuvLoop.self)
    #endif

    #if Libevent
        package static let libevent = description("libevent", of: LibeventLoop.self)
    #endif

    /// The engine on a clock that jumps to the next deadline. Descriptors are real and are polled without waiting.
    package static let virtual: LoopDescription = {
        var virtual = LoopDescription("virtual") { name, isOwned in
            try VirtualLoop(name: name, thread: isOwned ? .owned : .caller, clock: VirtualClock())
        }
        virtual.absent = [
            .realTime: "the virtual clock jumps to the next deadline",
            .sockets: "the virtual clock does not wait for peers",
            .children: "the virtual clock does not wait for children",
            .mainThread: "the main thread's loop uses the system's clock",
        ]
        virtual.spend = { duration, loop in VirtualTime.current.advance(to: loop.now + duration) }
        virtual.holdings = { loop in holdings(loop, of: VirtualLoop.self) }
        return virtual
    }()

    /// The `TestScheduler`, which the kit advances.
    package static let testScheduler: LoopDescription = {
        var test = LoopDescription("test") { name, _ in TestSchedulerLoop(name: name) }
        test.absent = [
            .realTime: "a test scheduler's time is virtual",
            .timeInWork: "work takes no virtual time",
            .ownRun: "the test itself advances a test scheduler",
            .ownThread: "the test itself advances a test scheduler",
            .mainThread: "the test itself advances a test scheduler",
            .descriptors: "a test scheduler cannot wait for the operating system",
            .sockets: "a test scheduler cannot wait for the operating system",
            .processSignals: "a test scheduler cannot wait for the operating system",
            .children: "a test scheduler cannot wait for the operating system",
        ]
        test.scheduler = { loop in
            if let scheduler = (loop as? TestSchedulerLoop)?.scheduler { return scheduler }
            return loop
        }
        return test
    }()

    /// A guest of a host loop that the kit runs, or that a thread runs.
    static func guest(_ kind: GuestKind) -> LoopDescription {
        var guest = LoopDescription("\(kind.rawValue) guest") { name, isOwned in
            try kind.make(name: name, isOwned: isOwned)
        }
        guest.absent = [
            .ownRun: "the host decides when a guest runs, and for how long",
            .mainThread: "the host determines a guest's thread",
        ]
        guest.scheduler = { loop in (loop as? HostedLoop)?.guest ?? loop }
        guest.holdings = { loop in
            switch (loop as? HostedLoop)?.guest {
            case let loop as DispatchLoop: return holdings(loop, of: DispatchLoop.self)
            #if Libuv
                case let loop as LibuvLoop: return holdings(loop, of: LibuvLoop.self)
            #endif
            #if Libevent
                case let loop as LibeventLoop: return holdings(loop, of: LibeventLoop.self)
            #endif
            default: return ["a guest of an unknown kind": 1]
            }
        }
        return guest
    }

    /// A loop of the engine on any poller.
    package static func description<Back: Poller & ~Copyable>(
        _ name: String,
        of kind: PollerLoop<Back>.Type,
        main: @escaping @Sendable () -> any LoopScheduler = { PollerLoop<Back>.main }
    ) -> LoopDescription {
        var loop = LoopDescription(name, main: main) { name, isOwned in
            try PollerLoop<Back>(name: name, thread: isOwned ? .owned : .caller)
        }
        loop.holdings = { loop in holdings(loop, of: PollerLoop<Back>.self) }
        return loop
    }

    /// Reads the statistics of a loop that is not running. If the loop refuses, the refusal is returned as something
    /// that it holds.
    static func holdings<Back: Poller & ~Copyable>(
        _ loop: any LoopScheduler,
        of kind: PollerLoop<Back>.Type
    ) -> [String: Int] {
        guard let statistics = try? (loop as? PollerLoop<Back>)?.statistics() else {
            return ["statistics that it refuses": 1]
        }
        return [
            "timers": statistics.timers, "watches": statistics.watches, "signal handlers": statistics.signalHandlers,
            "work": statistics.work,
        ]
    }
}
