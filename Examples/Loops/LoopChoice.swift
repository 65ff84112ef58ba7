// SPDX-License-Identifier: MIT
public import ArgumentParser
public import ReactiveCore
import SchedulerDispatch

#if Libevent
    import SchedulerLibevent
#endif
#if Libuv
    import SchedulerLibuv
#endif

/// The kind of loop that the option `--loop` selects.
public enum LoopChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case dispatch, libuv, libevent

    /// Returns the main thread's loop of this kind.
    ///
    /// - Throws: `unavailable` if the build lacks the trait of this loop. The message names the trait.
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

    /// Creates a loop of this kind that owns a thread.
    ///
    /// - Throws: `unavailable`, as ``main()`` does, and the errors of the loop's initializer.
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
