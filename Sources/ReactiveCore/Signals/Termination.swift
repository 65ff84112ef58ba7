/// How a signal ends.
public enum Termination<Failure: Error>: Sendable {
    /// There is no more.
    case completed
    /// It broke off.
    case failed(Failure)
}

extension Termination: Equatable where Failure: Equatable {}
