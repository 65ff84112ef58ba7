import ReactiveCore
package import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
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

    package static let dispatch = LoopDescription("dispatch", main: { DispatchLoop.main }) { name, isOwned in
        try DispatchLoop(name: name, thread: isOwned ? .owned : .caller)
    }

    #if Libuv
        package static let libuv = LoopDescription("libuv", main: { LibuvLoop.main }) { name, isOwned in
            try LibuvLoop(name: name, thread: isOwned ? .owned : .caller)
        }
    #endif

    #if Libevent
        package static let libevent = LoopDescription("libevent", main: { LibeventLoop.main }) { name, isOwned in
            try LibeventLoop(name: name, thread: isOwned ? .owned : .caller)
        }
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
        return virtual
    }()
}
