/// Why an execution did not complete.
public enum CommandError<Failure: Error>: Error {
    /// The work never began. The command's `rejections` says so too; its `errors` does not.
    case rejected(Rejection)
    /// It was let in and then broken off: by a newer one, or together with the command.
    case cancelled
    /// The work failed, as the command's `errors` says too.
    case failed(Failure)
}

extension CommandError: Equatable where Failure: Equatable {}

extension CommandError: Hashable where Failure: Hashable {}
