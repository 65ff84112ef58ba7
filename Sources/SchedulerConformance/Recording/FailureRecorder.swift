// SPDX-License-Identifier: MIT
package import ReactiveSignals
import ReactiveSupport

/// Records the unhandled failures that a test causes, until it is released.
///
/// The process has one handler for unhandled failures, and tests run at the same time. So the first recorder
/// permanently sets a handler, which passes each failure to all recorders. Each recorder has a filter.
package final class FailureRecorder: Sendable {
    private static let all = Lock<[Weak<FailureRecorder>]>([])

    private let recorded = Recorder<UnhandledFailure>()
    private let isMine: @Sendable (UnhandledFailure) -> Bool

    /// - Parameter isMine: Whether this test has caused the failure.
    package init(_ isMine: @escaping @Sendable (UnhandledFailure) -> Bool) {
        self.isMine = isMine
        UnhandledFailure.setHandler { failure in
            let recorders = Self.all.withLock { all in all.compactMap(\.object) }
            for recorder in recorders where recorder.isMine(failure) { recorder.recorded.append(failure) }
        }
        Self.all.withLock { all in
            all.removeAll { $0.object == nil }
            all.append(Weak(self))
        }
    }

    package var failures: [UnhandledFailure] { recorded.values }
    /// The operations whose failures were not handled.
    package var operations: [String] { failures.map(\.operation) }
}
