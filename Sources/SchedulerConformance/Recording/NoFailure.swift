// SPDX-License-Identifier: MIT
package import ReactiveCore

/// Handles the termination of a signal that must not fail in a check or a test. A failure traps with its error and the
/// location of the call.
package func noFailure<Failure: Error>(
    file: StaticString = #fileID,
    line: UInt = #line
) -> @Sendable (Termination<Failure>) -> Void {
    { termination in
        if case .failed(let error) = termination { fatalError("the signal failed: \(error)", file: file, line: line) }
    }
}

extension Check {
    /// Handles the termination of a signal that must not fail in this check. A failure fails the check.
    package func noFailure<Failure: Error>(of what: String) -> @Sendable (Termination<Failure>) -> Void {
        { [self] termination in
            if case .failed(let error) = termination { fail(expected: "no failure of \(what)", seen: "\(error)") }
        }
    }
}
