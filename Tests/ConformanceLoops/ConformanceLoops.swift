package import ReactiveCore
package import SchedulerConformance
import SchedulerDispatch
package import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

/// The loops of this build, as the kit is told about them.
package enum ConformanceLoops {
    package static let all: [LoopDescription] = {
        var all = [dispatch]
        #if Libuv
            all.append(libuv)
        #endif
        #if Libevent
            all.append(libevent)
        #endif
        return all + [virtual]
    }()

    package static let dispatch = description("dispatch", of: DispatchLoop.self)

    #if Libuv
        package static let libuv = description("libuv", of: LibuvLoop.self)
    #endif

    #if Libevent
        package static let libevent = description("libevent", of: LibeventLoop.self)
    #endif

    /// The engine on a clock that jumps to the next deadline. Descriptors are real, and asked without waiting.
    package static let virtual: LoopDescription = {
        var virtual = LoopDescription("virtual") { name, isOwned in
            try VirtualLoop(name: name, thread: isOwned ? .owned : .caller, clock: VirtualClock())
        }
        virtual.absent = [
            .realTime: "its clock jumps to the next deadline",
            .sockets: "a clock that jumps does not wait for peers",
            .children: "a clock that jumps does not wait for children",
            .mainThread: "the main thread's loop goes by the system's clock",
        ]
        virtual.spend = { duration, loop in VirtualTime.current.advance(to: loop.now + duration) }
        virtual.holdings = { loop in holdings(loop, of: VirtualLoop.self) }
        return virtual
    }()

    /// A loop of the engine's on some poller.
    package static func description<Back: Poller & ~Copyable>(
        _ name: String,
        of kind: PollerLoop<Back>.Type
    ) -> LoopDescription {
        var loop = LoopDescription(name, main: { PollerLoop<Back>.main }) { name, isOwned in
            try PollerLoop<Back>(name: name, thread: isOwned ? .owned : .caller)
        }
        loop.holdings = { loop in holdings(loop, of: PollerLoop<Back>.self) }
        return loop
    }

    /// Only loops that nobody runs are asked; one that refuses all the same says so as something it holds.
    private static func holdings<Back: Poller & ~Copyable>(
        _ loop: any LoopScheduler,
        of kind: PollerLoop<Back>.Type
    ) -> [String: Int] {
        guard let census = try? (loop as? PollerLoop<Back>)?.census() else { return ["a census that it refuses": 1] }
        return [
            "timers": census.timers, "watches": census.watches, "signal handlers": census.signals, "work": census.work,
        ]
    }
}
