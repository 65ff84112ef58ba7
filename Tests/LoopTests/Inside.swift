// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore

@testable import SchedulerEngine

/// Gives tests access to the internals of a loop that is not running.
private protocol HasCore {
    var core: LoopCore { get }
}

extension PollerLoop: HasCore where Back: ~Copyable {}

extension LoopScheduler {
    /// The C library's loop underneath.
    func nativeHandle(of kind: LoopKind) -> UnsafeMutableRawPointer? {
        guard let loop = self as? any HasCore else { preconditionFailure("not one of ours") }
        return loop.core.nativeHandle
    }
}
