// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// An object whose work ends when its loop is disposed.
///
/// The object and its observer may retain each other, as in an echo. Only abandoning the object breaks the cycle.
package protocol LoopBound: AnyObject, SendableMetatype {
    var loop: any LoopScheduler { get }

    /// Closes what is open and releases all observers without notifying them, because the loop has been disposed.
    func abandon()
}

extension LoopBound {
    /// Abandons this object when the loop is disposed, unless the result is disposed first. It does not retain the
    /// object: a watch or another closure of the loop does.
    package func abandonWithLoop() -> any Disposable {
        let core = UnsafeTransfer(Weak(self))
        return loop.onDispose { core.value.object?.abandon() }
    }

    /// Watches a descriptor, and abandons this object if the loop is disposed meanwhile. The watch retains the object.
    ///
    /// - Throws: The errors of `LoopScheduler.watch(_:for:_:)`.
    func watchDescriptor(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Self, Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        let (end, core) = (ScopedDisposable(abandonWithLoop()), UnsafeTransfer(self))
        return try loop.watch(descriptor, for: interest) { readiness in
            withExtendedLifetime(end) { ready(core.value, readiness) }
        }
    }

    /// Runs `work` in a job. Call it if the poller has refused a call with `wrongThread`: the caller is a C callback inside
    /// of the loop's wait. If the loop is disposed before the job, this object is abandoned.
    func afterWait(_ work: @escaping @Sendable (Self) -> Void) {
        let core = UnsafeTransfer(self)
        loop.execute({ work(core.value) }, ifDisposed: { core.value.abandon() })
    }
}
