// SPDX-License-Identifier: MIT
/// How a signal terminates.
public enum Termination<Failure: Error>: Sendable {
    /// The signal has sent all its values.
    case completed
    /// The signal failed with an error.
    case failed(Failure)
}

extension Termination: Equatable where Failure: Equatable {}
