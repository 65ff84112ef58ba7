// SPDX-License-Identifier: MIT
public import ReactiveCore
package import ReactiveSignals
import ReactiveSupport

/// Rejects requests while a service is overloaded, so that the others keep their latency.
///
/// ```swift
/// let limiter = LoadLimiter(on: loop)
/// let query = Command<Int, Int, Never>(.concurrent().limited(by: limiter)) { key in database.read(key) }
/// ```
///
/// It shares a ``ConcurrencyLimit`` and a ``QueueTimeLimit`` between threads, under one lock. Any thread may use every
/// member. Use one limiter for each resource that can be overloaded, such as a database, even if several loops use it:
/// a limit for each loop would have to guess the load of the others.
///
/// A request keeps its slot until it ends. A request that never ends keeps its slot until its client leaves, so give
/// work a time limit.
public final class LoadLimiter: Sendable {
    private struct State {
        var concurrency: ConcurrencyLimit?
        var queueTime: QueueTimeLimit?
        var totals = LoadTotals()
    }

    /// The events of requests, on the thread that causes them. Never sent under the lock.
    package let events = Subject<LoadEvent, Never>()

    private let state: Lock<State>
    private let scheduler: any TimedScheduler
    private let isDrop: @Sendable (any Error) -> Bool

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler whose clock measures the requests. The limiter retains it.
    ///   - concurrency: The limit on concurrent requests. `nil` means no limit.
    ///   - queueTime: The limit on the time that admitted requests wait in the queue of a command. `nil` means no limit.
    ///   - isDrop: Returns whether a failure of the work shows an overload, such as a time-out. Such a failure
    ///     reduces the concurrency limit. Other failures are not measured. It is called on the thread on which the work
    ///     fails. By default it returns false.
    public init(
        on scheduler: any TimedScheduler,
        concurrency: ConcurrencyLimit? = ConcurrencyLimit(),
        queueTime: QueueTimeLimit? = nil,
        isDrop: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.scheduler = scheduler
        self.isDrop = isDrop
        state = Lock(State(concurrency: concurrency, queueTime: queueTime))
    }

    /// The counters so far, as one consistent snapshot.
    public var totals: LoadTotals { state.withLock { $0.totals } }

    /// The current limit on concurrent requests. `nil` means no limit.
    public var limit: Int? { state.withLock { $0.concurrency?.limit } }

    /// The measured duration of a request on an idle service. `nil` means that too few requests have ended.
    public var baseline: Duration? { state.withLock { $0.concurrency?.baseline } }

    /// Admits a request, or returns `nil` if the concurrency limit is reached.
    ///
    /// ``CommandStrategy/limited(by:)`` and `HTTPService.limited(by:)` call it. Call it for requests of other protocols.
    ///
    /// - Returns: The admission. Call its ``LoadAdmission/end(_:)``.
    public func begin() -> LoadAdmission? {
        let now = scheduler.now
        let isAdmitted = state.withLock { state in
            // A limit that is `nil` admits everything.
            let isAdmitted = state.concurrency?.begin(at: now) ?? true
            if isAdmitted {
                state.totals.admitted += 1
                state.totals.underWay += 1
            } else {
                state.totals.rejected += 1
            }
            return isAdmitted
        }
        report(isAdmitted ? .admitted : .rejected)
        return isAdmitted ? LoadAdmission(self, begun: now) : nil
    }

    func mayStart(_ begun: LoopInstant) -> Bool {
        let now = scheduler.now
        let wait = now - begun
        let mayStart = state.withLock { state in
            let mayStart = state.queueTime?.admits(afterWaiting: wait, at: now) ?? true
            if !mayStart { state.totals.expired += 1 }
            return mayStart
        }
        report(mayStart ? .started(after: wait) : .expired(after: wait))
        return mayStart
    }

    func end(_ outcome: ConcurrencyLimit.Outcome, _ begun: LoopInstant) {
        let now = scheduler.now
        state.withLock { state in
            state.totals.underWay -= 1
            switch outcome {
            case .completed: state.totals.completed += 1
            case .dropped: state.totals.dropped += 1
            case .ignored: state.totals.ignored += 1
            }
            state.concurrency?.end(outcome, begun: begun, at: now)
        }
        report(.ended(outcome, after: now - begun))
    }

    private func report(_ event: LoadEvent) {
        if events.hasBeenObserved { events.send(event) }
    }

    /// The outcome of work that has failed.
    func outcome(of error: any Error) -> ConcurrencyLimit.Outcome { isDrop(error) ? .dropped : .ignored }
}
