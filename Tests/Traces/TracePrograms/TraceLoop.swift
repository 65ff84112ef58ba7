// SPDX-License-Identifier: MIT
import LoopTestSupport
package import ReactiveCore
import SchedulerDispatch
import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

/// The loops on which a program is traced: the reference, which stands for the contract, and the engine on each
/// poller.
package enum TraceLoop: String, Sendable, CaseIterable {
    case reference
    case dispatch
    #if Libuv
        case libuv
    #endif
    #if Libevent
        case libevent
    #endif

    /// Creates a loop on simulated time that its caller runs.
    package func make(_ time: SimulatedTime) throws -> any LoopScheduler {
        try SimulatedTime.$current.withValue(time) {
            let clock = SimulatedClock(time: time)
            switch self {
            case .reference: return ReferenceLoop(time)
            case .dispatch:
                return try PollerLoop<SimulatedPoller<DispatchPoller>>(name: "traced", thread: .caller, clock: clock)
            #if Libuv
                case .libuv:
                    return try PollerLoop<SimulatedPoller<LibuvPoller>>(name: "traced", thread: .caller, clock: clock)
            #endif
            #if Libevent
                case .libevent:
                    return try PollerLoop<SimulatedPoller<LibeventPoller>>(
                        name: "traced",
                        thread: .caller,
                        clock: clock
                    )
            #endif
            }
        }
    }
}
