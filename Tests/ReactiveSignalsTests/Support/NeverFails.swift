// SPDX-License-Identifier: MIT
import ReactiveCore
import Testing

/// Handles the termination of a signal that must not fail in a test. A failure is an issue.
func neverFails<Failure: Error>(
    sourceLocation: SourceLocation = #_sourceLocation
) -> @Sendable (Termination<Failure>) -> Void {
    { termination in
        if case .failed(let error) = termination {
            Issue.record("the signal failed: \(error)", sourceLocation: sourceLocation)
        }
    }
}
