// SPDX-License-Identifier: MIT
package import ReactiveCore
import SchedulerDispatch
package import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

/// The loops of this build. Each rule is tested on all of them.
package enum LoopKind: String, Sendable, CaseIterable {
    case dispatch
    #if Libuv
        case libuv
    #endif
    #if Libevent
        case libevent
    #endif

    package static var all: [LoopKind] { allCases }

    /// Every ordered pair of two kinds.
    package static var pairs: [(LoopKind, LoopKind)] {
        all.flatMap { first in all.map { second in (first, second) } }
    }

    /// Creates a loop that the caller runs, unless `thread` says otherwise.
    package func make(name: String = "test", thread: LoopThread = .caller) throws(LoopError) -> any LoopScheduler {
        switch self {
        case .dispatch: try DispatchLoop(name: name, thread: thread)
        #if Libuv
            case .libuv: try LibuvLoop(name: name, thread: thread)
        #endif
        #if Libevent
            case .libevent: try LibeventLoop(name: name, thread: thread)
        #endif
        }
    }

    /// The main thread's loop of this kind.
    package var main: any LoopScheduler {
        switch self {
        case .dispatch: DispatchLoop.main
        #if Libuv
            case .libuv: LibuvLoop.main
        #endif
        #if Libevent
            case .libevent: LibeventLoop.main
        #endif
        }
    }
}
