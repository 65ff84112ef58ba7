// SPDX-License-Identifier: MIT
import ReactiveCore

extension Signal {
    /// Creates a signal that iterates over `sequence` in a new task for each subscription.
    ///
    /// The signal completes when the sequence ends, and fails with an error that the sequence throws. The task requests
    /// an element when the previous one has been delivered and the subscription is not paused. So a pause exerts
    /// back-pressure on the sequence ([law 11](doc:LawsOfSignals)). Only an element that was requested before the pause
    /// waits.
    ///
    /// Disposing the subscription cancels the task. Elements that the sequence returns after that are dropped.
    ///
    /// Events arrive on the task's thread, which may change from event to event. To receive them elsewhere, use
    /// ``observe(on:limit:whenFull:)``.
    public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Value, S.Failure == Failure {
        self.init { emitter, subscription in
            let pace = Pace(subscription)
            let task = Task {
                var iterator = sequence.makeAsyncIterator()
                await pace.open()
                do throws(Failure) {
                    while let value = try await iterator.next(isolation: nil) {
                        emitter.send(value)
                        await pace.open()
                    }
                    emitter.complete()
                } catch {
                    emitter.fail(error)
                }
            }
            subscription.onDispose { task.cancel() }
        }
    }

    /// Creates a signal that calls `body` in a new task for each subscription, sends the result and completes.
    ///
    /// An error that `body` throws becomes the signal's failure. Events arrive on the task's thread. A pause does not
    /// suspend `body`: its result waits for the resume ([law 11](doc:LawsOfSignals)). Disposing the subscription
    /// cancels the task, and the result is dropped.
    public init(async body: @escaping @Sendable () async throws(Failure) -> Value) {
        self.init { emitter, subscription in
            let task = Task {
                do throws(Failure) {
                    emitter.send(try await body())
                    emitter.complete()
                } catch {
                    emitter.fail(error)
                }
            }
            subscription.onDispose { task.cancel() }
        }
    }

    /// Waits for the first value, then disposes the subscription.
    ///
    /// Each call creates a subscription. Cancelling the task disposes the subscription.
    ///
    /// - Returns: The first value, or `nil` if the signal completes without one or the task is cancelled.
    /// - Throws: The signal's failure, if it fails before it sends a value.
    public func first() async throws(Failure) -> Value? {
        var iterator = values(limit: 1).makeAsyncIterator()
        return try await iterator.next(isolation: #isolation)
    }

    /// Waits for the signal to terminate and returns its last value.
    ///
    /// Each call creates a subscription. Cancelling the task disposes the subscription.
    ///
    /// - Returns: The last value, or `nil` if the signal completes without one. If the task is cancelled, the last
    ///   value received until then, or `nil`.
    /// - Throws: The signal's failure.
    public func last() async throws(Failure) -> Value? {
        var iterator = values().makeAsyncIterator()
        var last: Value?
        while let value = try await iterator.next(isolation: #isolation) { last = value }
        return last
    }

    /// Waits for the signal to terminate and returns all its values. Memory use is unbounded.
    ///
    /// Each call creates a subscription. Cancelling the task disposes the subscription. ``collect()`` returns a signal
    /// that sends the same array.
    ///
    /// - Returns: The values in order. If the task is cancelled, the values received until then.
    /// - Throws: The signal's failure. The values are dropped.
    public func allValues() async throws(Failure) -> [Value] {
        var iterator = values().makeAsyncIterator()
        var all: [Value] = []
        while let value = try await iterator.next(isolation: #isolation) { all.append(value) }
        return all
    }
}
