// SPDX-License-Identifier: MIT
public import Measure
public import ReactiveCore
import SchedulerDispatch
import SchedulerLibevent
import SchedulerLibuv

/// The loops that are measured.
public enum LoopName: String, CaseIterable, Sendable {
    case dispatch, libuv, libevent

    /// The loop that `--loop` names.
    public init(_ arguments: Arguments) {
        let text = arguments.text("loop") ?? "dispatch"
        guard let name = LoopName(rawValue: text) else { fail("--loop is dispatch, libuv or libevent, not \(text)") }
        self = name
    }

    /// The main thread's loop of this kind.
    public var main: any LoopScheduler {
        switch self {
        case .dispatch: DispatchLoop.main
        case .libuv: LibuvLoop.main
        case .libevent: LibeventLoop.main
        }
    }

    /// Creates a loop with its own thread.
    public func make(_ name: String) throws(LoopError) -> any LoopScheduler {
        switch self {
        case .dispatch: try DispatchLoop(name: name)
        case .libuv: try LibuvLoop(name: name)
        case .libevent: try LibeventLoop(name: name)
        }
    }

    /// Sets how long the loop busy-polls before its thread blocks.
    public func setSpinLimit(_ limit: Duration, of loop: any LoopScheduler) {
        switch loop {
        case let loop as DispatchLoop: loop.spinLimit = limit
        case let loop as LibuvLoop: loop.spinLimit = limit
        case let loop as LibeventLoop: loop.spinLimit = limit
        default: fail("\(rawValue) has no limit for spinning")
        }
    }
}
