// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// Resumes the transformer of one connection (``ConnectionTransformer/isSuspended``).
/// ``TransformedBytes/resumption`` creates it.
///
/// It does not retain the connection. Any thread may use it.
public struct TransformerResumption: Sendable {
    /// The loop of the connection.
    public let loop: any LoopScheduler
    let core: UnsafeTransfer<WeakHandle<ConnectionCore>>

    init(_ core: ConnectionCore) {
        loop = core.loop
        self.core = UnsafeTransfer(WeakHandle(core))
    }

    /// Calls ``ConnectionTransformer/resume(_:)`` in a later job of the loop.
    ///
    /// Several calls cause several calls of the transformer. After the connection has ended, nothing happens.
    public func resume() {
        loop.execute { [self] in _ = resumeNow() }
    }

    /// Calls the transformer now. Call it on the loop, outside of the calls of every transformer.
    ///
    /// - Returns: Whether the connection was still open.
    package func resumeNow() -> Bool { core.value.object?.resumeTransformer() ?? false }
}
