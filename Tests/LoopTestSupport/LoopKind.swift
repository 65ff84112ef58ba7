// SPDX-License-Identifier: MIT
import Foundation
package import ReactiveCore
import SchedulerConformance
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

    /// All kinds, or those that `TEST_LOOPS` names. `make tsan LOOP=dispatch` sets it.
    package static let all: [LoopKind] = {
        guard let names = ProcessInfo.processInfo.environment["TEST_LOOPS"] else { return allCases }
        return names.split(separator: ",").map { name in
            guard let kind = LoopKind(rawValue: String(name)) else {
                let allowed = allCases.map(\.rawValue).joined(separator: ", ")
                preconditionFailure("TEST_LOOPS: \(name) is no loop of this build: \(allowed)")
            }
            return kind
        }
    }()

    /// Every ordered pair of two kinds.
    package static var pairs: [(LoopKind, LoopKind)] {
        all.flatMap { first in all.map { second in (first, second) } }
    }

    /// Creates a loop that the caller runs, unless `thread` says otherwise. With a `ManualClock`, take turns that do not
    /// wait.
    package func make(
        name: String = "test",
        thread: LoopThread = .caller,
        clock: any LoopClock = MonotonicClock()
    ) throws(LoopError) -> any LoopScheduler {
        switch self {
        case .dispatch: try DispatchLoop(name: name, thread: thread, clock: clock)
        #if Libuv
            case .libuv: try LibuvLoop(name: name, thread: thread, clock: clock)
        #endif
        #if Libevent
            case .libevent: try LibeventLoop(name: name, thread: thread, clock: clock)
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

    /// The main thread's loop, read while no descriptor is free. If there is no main loop yet, it cannot be created. Use it in
    /// a process of its own, because the limit of descriptors belongs to the process.
    package var mainWithoutDescriptors: any LoopScheduler {
        let limit = DescriptorLimit.current
        DescriptorLimit.leave(0)
        defer { DescriptorLimit.set(limit) }
        return main
    }
}
