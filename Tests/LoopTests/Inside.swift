import LoopTestSupport
import ReactiveCore
import ReactiveSupport

@testable import SchedulerEngine

/// What tests look at inside a loop that does not run.
private protocol HasCore {
    var core: LoopCore { get }
}

extension PollerLoop: HasCore where Back: ~Copyable {}

extension LoopScheduler {
    private var state: LoopState {
        guard let loop = self as? any HasCore else { preconditionFailure("not one of ours") }
        return loop.core.state.value
    }

    /// How many turns it has taken.
    var turnCount: UInt64 { state.turn }

    /// How many timers it holds.
    var timerCount: Int { state.timers.count }
}

extension LoopScheduler {
    /// The library's own loop.
    func nativeHandle(of kind: LoopKind) -> UnsafeMutableRawPointer? {
        guard let loop = self as? any HasCore else { preconditionFailure("not one of ours") }
        return loop.core.nativeHandle
    }
}
