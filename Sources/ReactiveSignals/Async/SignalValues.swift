// SPDX-License-Identifier: MIT
import ReactiveCore

extension Signal {
    /// The signal's values as an asynchronous sequence, for a `for await` loop. At most 64 values wait for the loop.
    ///
    /// When 64 values wait, the source is paused until at most 32 are left. So a slow loop slows the source down.
    /// Values are lost only if the source's own ``BufferPolicy`` drops them during a pause. It is the same as
    /// `values(limit: 64)`: see ``values(limit:)``.
    @inlinable
    public var values: SignalValues<Value, Failure> { values(limit: 64) }

    /// Returns the signal's values as an asynchronous sequence, for a `for await` loop. The signal's failure is its
    /// typed error.
    ///
    /// Each loop subscribes separately when it begins, on the thread of its task. Values wait in a buffer until the
    /// loop requests them, and the failure waits behind them.
    ///
    /// Leaving the loop disposes the subscription. Cancelling the waiting task ends the loop, disposes the subscription
    /// and drops the buffered values.
    ///
    /// - Parameter limit: The number of buffered values at which the source is paused, until at most half of them are
    ///   left. Less than one counts as one.
    @inlinable
    public func values(limit: Int = 64) -> SignalValues<Value, Failure> { SignalValues(self, limit) }
}

/// The values of a signal as an asynchronous sequence. See ``Signal/values(limit:)``.
public struct SignalValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// The type of the signal's values.
    public typealias Element = Value

    /// The iterator of one loop, which owns its subscription. The subscription is disposed when the last copy of the
    /// iterator is released.
    ///
    /// It serves one task at a time: calling `next` while another task waits in it traps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline
        let lifetime: Lifetime

        @usableFromInline
        init(_ lifetime: Lifetime) {
            self.lifetime = lifetime
        }

        /// Waits for the next value.
        ///
        /// - Returns: The value, or `nil` after termination and after the task has been cancelled.
        /// - Throws: The signal's failure, once, after all buffered values.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(Failure) -> Value? {
            switch await lifetime.buffer.next(isolation: actor) {
            case .value(let value): return value
            case .ended(.completed): return nil
            case .ended(.failed(let failure)): throw failure
            }
        }

        /// Waits for the next value, without an actor's isolation.
        ///
        /// - Returns: The value, or `nil` after termination and after the task has been cancelled.
        /// - Throws: The signal's failure, once, after all buffered values.
        public mutating func next() async throws(Failure) -> Value? { try await next(isolation: nil) }
    }

    /// Disposes the subscription when the last copy of the iterator is released.
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

    /// Subscribes to the signal on the calling thread and returns an iterator over its values.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Lifetime(signal, limit)) }
}
