import ReactiveCore

extension Signal {
    /// The signal's values for a `for await` loop, with its failure as a typed error.
    ///
    /// Each loop is a subscription of its own, made when it begins. Up to `limit` values wait for the loop (less than one
    /// counts as one); then the source is held back until half of them are through. When the task that waits is cancelled
    /// the subscription is disposed and the loop ends; leaving the loop disposes it too.
    @inlinable
    public func values(limit: Int = 64) -> SignalValues<Value, Failure> { SignalValues(self, limit) }
}

/// The values of a signal, one at a time, for whoever awaits them; see ``Signal/values(limit:)``.
public struct SignalValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// What the loop gets: the signal's values.
    public typealias Element = Value

    /// One loop's place. It is for one task: a second `next` while the first waits traps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline
        let lifetime: Lifetime

        @usableFromInline
        init(_ lifetime: Lifetime) {
            self.lifetime = lifetime
        }

        /// Waits for the next value; nil after completion and after the task has been cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> Value? {
            switch await lifetime.buffer.next(isolation: actor) {
            case .value(let value): return value
            case .ended(.completed): return nil
            case .ended(.failed(let failure)): throw failure
            }
        }

        /// Waits for the next value; nil after completion and after the task has been cancelled.
        public mutating func next() async throws(Failure) -> Value? { try await next(isolation: nil) }
    }

    /// Disposes the subscription when the last copy of the iterator is let go of.
    @usableFromInline
    final class Lifetime: Sendable {
        let buffer: AsyncBuffer<Value, Failure>

        @usableFromInline
        init(_ signal: Signal<Value, Failure>, _ limit: Int) {
            buffer = AsyncBuffer(limit < 1 ? 1 : limit)
            signal.subscribe(buffer, in: buffer.subscription)
        }

        deinit { buffer.cancel() }
    }

    @usableFromInline
    let signal: Signal<Value, Failure>
    @usableFromInline
    let limit: Int

    @inlinable
    init(_ signal: Signal<Value, Failure>, _ limit: Int) {
        self.signal = signal
        self.limit = limit
    }

    /// Subscribes to the signal.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Lifetime(signal, limit)) }
}
