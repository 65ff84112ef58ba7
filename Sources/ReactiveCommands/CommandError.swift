// SPDX-License-Identifier: MIT
/// The reason why an execution did not complete.
public enum CommandError<Failure: Error>: Error {
    /// The work never began. The command's ``Command/rejections`` also reports this, but ``Command/errors`` does not.
    case rejected(Rejection)
    /// The execution was cancelled, perhaps while it waited: by its subscriber, by a newer execution, or when the
    /// command ended.
    case cancelled
    /// The work failed. The command's ``Command/errors`` also reports this.
    case failed(Failure)
}

extension CommandError: Equatable where Failure: Equatable {}

extension CommandError: Hashable where Failure: Hashable {}
