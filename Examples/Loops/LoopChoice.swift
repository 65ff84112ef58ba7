public import ArgumentParser
public import ReactiveCore
import SchedulerDispatch

#if Libevent
    import SchedulerLibevent
#endif
#if Libuv
    import SchedulerLibuv
#endif

/// The loop named on a command line.
public enum LoopChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case dispatch, libuv, libevent

    /// The main thread's loop of this kind.
    ///
    /// - Throws: `unavailable` where the build does not have it, with the name of the trait that brings it.
    public func main() throws(LoopError) -> any LoopScheduler {
        switch self {
        case .dispatch: return DispatchLoop.main
        case .libuv:
            #if Libuv
                return LibuvLoop.main
            #else
                throw missing("Libuv")
            #endif
        case .libevent:
            #if Libevent
                return LibeventLoop.main
            #else
                throw missing("Libevent")
            #endif
        }
    }

    /// A loop of this kind with a thread of its own.
    ///
    /// - Throws: `unavailable`, as ``main()`` does, and what making the loop throws.
    public func make(name: String) throws(LoopError) -> any LoopScheduler {
        switch self {
        case .dispatch: return try DispatchLoop(name: name)
        case .libuv:
            #if Libuv
                return try LibuvLoop(name: name)
            #else
                throw missing("Libuv")
            #endif
        case .libevent:
            #if Libevent
                return try LibeventLoop(name: name)
            #else
                throw missing("Libevent")
            #endif
        }
    }

    private func missing(_ trait: String) -> LoopError {
        LoopError(.unavailable, "the \(self) loop is not in this build: build with the package trait \(trait)")
    }
}
