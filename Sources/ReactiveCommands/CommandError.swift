/// Why an execution did not complete.
public enum CommandError<Failure: Error>: Error {
    /// The work never began. The command's `rejections` reports this too; its `errors` does not.
    case rejected(Rejection)
    /// The execution was admitted and then cancelled: by a newer one, or with the command.
    case cancelled
    /// The work failed. The command's `errors` reports this too.
    case failed(Failure)
}

extension CommandError: Equatable where Failure: Equatable {}

extension CommandError: Hashable where Failure: Hashable {}
