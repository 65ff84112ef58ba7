// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A failure that was lost: an operation failed, its result had been discarded, and nothing else received the error.
///
/// A subscription without a failure handler does not compile. But the result of an operation such as
/// `connection.send(from:)` may be discarded, and then no handler exists. If such an operation fails and nothing has
/// observed it, the failure is passed to the handler of ``setHandler(_:)``. Without a handler, a debug build writes one
/// line to standard error, and a release build does nothing.
///
/// The following are not reported, because this process causes them: disposal, cancellation, and `closed` after a close
/// or an abort on this side. A connection that fails reports at most one failure. It reports none if a `Server`
/// receives the failure, or a subscriber of its `ended`, of `received` or of the result of a send.
public struct UnhandledFailure: Sendable, CustomStringConvertible {
    /// The error.
    public let error: any Error
    /// The operation whose failure was lost, such as `Connection.send(from:)`.
    public let operation: String

    /// The operation and the error, on one line.
    public var description: String { "unhandled failure of \(operation): \(error)" }

    private typealias Handler = @Sendable (UnhandledFailure) -> Void

    private struct Registry {
        var handler: Handler?
        /// The threads that are calling the handler.
        var reporting: Set<UInt> = []
    }

    private static let registry = ProgramLock(Registry())

    /// Sets the handler of the process. It replaces the earlier one.
    ///
    /// The handler is called with no lock held, on the thread that reports the failure. For a connection, this is the
    /// thread of its loop, or the thread that releases a stored result of `send(from:)`. The handler may be called by
    /// several threads at the same time, and should return soon. If it causes another unhandled failure on its thread,
    /// that failure is treated as if no handler were set. Any thread may call this function, even from inside the
    /// handler. Calls of the earlier handler that have begun still finish.
    ///
    /// - Parameter handler: Receives each unhandled failure from now on. `nil` removes the handler.
    public static func setHandler(_ handler: (@Sendable (UnhandledFailure) -> Void)?) {
        // Released outside the lock.
        let earlier = registry.withLock { registry -> Handler? in
            defer { registry.handler = handler }
            return registry.handler
        }
        withExtendedLifetime(earlier) {}
    }

    /// Reports a failure that nothing has received. Call it with no lock held and with consistent state: it runs user
    /// code.
    package static func report(_ error: any Error, of operation: StaticString) {
        if error is CancellationError || (error as? any LocallyCaused)?.isLocallyCaused == true { return }
        let failure = UnhandledFailure(error: error, operation: "\(operation)")
        let thread = SystemThread.currentIdentifier
        let handler = registry.withLock { registry -> Handler? in
            guard let handler = registry.handler, registry.reporting.insert(thread).inserted else { return nil }
            return handler
        }
        guard let handler else { return failure.printInDebugBuild() }
        handler(failure)
        registry.withLock { registry in _ = registry.reporting.remove(thread) }
    }

    private func printInDebugBuild() {
        #if DEBUG
            StandardError.writeLine(description)
        #endif
    }
}

/// An error that this process itself may have caused. In that case it is not reported.
package protocol LocallyCaused: Error {
    /// Whether a call of this process caused the error, such as a close or the disposal of a loop.
    var isLocallyCaused: Bool { get }
}
