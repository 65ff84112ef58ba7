/// The termination of a signal.
public enum Termination<Failure: Error>: Sendable {
    /// The signal has completed. No more values follow.
    case completed
    /// The signal has failed.
    case failed(Failure)
}

extension Termination: Equatable where Failure: Equatable {}
