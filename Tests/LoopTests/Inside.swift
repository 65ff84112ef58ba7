import LoopTestSupport
import ReactiveCore

@testable import SchedulerEngine

/// What tests look at inside a loop that does not run.
private protocol HasCore {
    var core: LoopCore { get }
}

extension PollerLoop: HasCore where Back: ~Copyable {}

extension LoopScheduler {
    /// The library's own loop.
    func nativeHandle(of kind: LoopKind) -> UnsafeMutableRawPointer? {
        guard let loop = self as? any HasCore else { preconditionFailure("not one of ours") }
        return loop.core.nativeHandle
    }
}
