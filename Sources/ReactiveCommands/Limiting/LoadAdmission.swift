// SPDX-License-Identifier: MIT
public import ReactiveCore
import Synchronization

/// A request that a ``LoadLimiter`` has admitted.
///
/// It holds a slot of the limit until ``end(_:)``. If it is released without that call, it ends as `ignored`. Any thread
/// may use every member.
public final class LoadAdmission: Sendable {
    private let limiter: LoadLimiter
    private let begun: LoopInstant
    private let hasEnded = Atomic<Bool>(false)

    init(_ limiter: LoadLimiter, begun: LoopInstant) {
        self.limiter = limiter
        self.begun = begun
    }

    deinit { end(.ignored) }

    /// Returns whether the request may begin after its wait in a queue. If it returns false, reject the request.
    ///
    /// Call it when the request leaves the queue. It is true if the limiter has no ``QueueTimeLimit``.
    public func mayStart() -> Bool { limiter.mayStart(begun) }

    /// Ends the request and frees its slot. Later calls do nothing.
    ///
    /// - Parameter outcome: Whether the duration of the request is measured.
    public func end(_ outcome: ConcurrencyLimit.Outcome) {
        if hasEnded.exchange(true, ordering: .relaxed) { return }
        limiter.end(outcome, begun)
    }

    /// Ends the request with a failure of its work. The limiter's `isDrop` decides whether it shows an overload. Later
    /// calls do nothing.
    ///
    /// - Parameter error: The failure.
    public func fail(_ error: any Error) { end(limiter.outcome(of: error)) }

    /// Ends the request with the termination of an execution.
    @usableFromInline
    func end<Failure>(with termination: Termination<CommandError<Failure>>) {
        switch termination {
        case .completed: end(.completed)
        case .failed(.failed(let error)): fail(error)
        case .failed(.rejected), .failed(.cancelled): end(.ignored)
        }
    }
}
