import ReactiveCore

extension Signal {
    /// Makes a signal that goes through `sequence` anew for each subscription, in a task of its own.
    ///
    /// The next element is asked for when the one before has been delivered and no hold is out, so a pause holds the sequence
    /// back and nothing piles up (law 11). Disposing the subscription cancels the task. What the sequence throws is the
    /// failure. Values come on the task's thread; `observe(on:)` says where else.
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

    /// Makes a signal that calls `body` for each subscription, in a task of its own, and sends what it returns.
    ///
    /// What it throws is the failure. Disposing the subscription cancels the task.
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

    /// Awaits the first value, and lets go of the signal then; nil if it completes without one, or the task is cancelled.
    public func first() async throws(Failure) -> Value? {
        var iterator = values(limit: 1).makeAsyncIterator()
        return try await iterator.next(isolation: #isolation)
    }

    /// Awaits the end, and the value before it; nil if there was none, or the task is cancelled before any came.
    public func last() async throws(Failure) -> Value? {
        var iterator = values().makeAsyncIterator()
        var last: Value?
        while let value = try await iterator.next(isolation: #isolation) { last = value }
        return last
    }

    /// Awaits the end, and all values; those that have come, if the task is cancelled. See ``collect()`` for a signal of it.
    public func allValues() async throws(Failure) -> [Value] {
        var iterator = values().makeAsyncIterator()
        var all: [Value] = []
        while let value = try await iterator.next(isolation: #isolation) { all.append(value) }
        return all
    }
}
