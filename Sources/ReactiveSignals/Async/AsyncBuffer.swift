// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The buffer between a signal, which pushes values, and a task, which pulls them.
///
/// The call that removes the continuation from the state also resumes it, so it is resumed exactly once. Only the code
/// that receives a value pauses the source, before it stores the value. Only the task's call of `next` resumes the
/// source.
final class AsyncBuffer<Value: Sendable, Failure: Error>: Observer {
    typealias Waiter = CheckedContinuation<Event<Value, Failure>, Never>

    private struct State {
        var values = FIFO<Value>()
        var end: Termination<Failure>?
        var waiter: Waiter?
        var hasPausedSource = false
    }

    let subscription = SignalSubscription()
    private let limit: Int
    private let state = Lock(State())

    init(_ limit: Int) {
        self.limit = limit
    }

    func receive(_ value: Value) {
        if state.withLock({ !$0.hasPausedSource && $0.waiter == nil && $0.values.count + 1 >= limit }) {
            subscription.addPause()
            state.withLock { $0.hasPausedSource = true }
        }
        let waiter = state.withLock { state -> Waiter? in
            if state.end != nil { return nil }
            if let waiter = state.waiter.take() { return waiter }
            state.values.append(value)
            return nil
        }
        waiter?.resume(returning: .value(value))
    }

    func receive(termination: Termination<Failure>) {
        let waiter = state.withLock { state -> Waiter? in
            let waiter = state.waiter.take()
            // A waiting task receives the termination now, so a later `next` returns `nil`.
            if state.end == nil { state.end = waiter == nil ? termination : .completed }
            return waiter
        }
        waiter?.resume(returning: .ended(termination))
    }

    /// Disposes the subscription, resumes a waiting task with completion, and drops the buffered values.
    func cancel() {
        subscription.dispose()
        // Returned from the closure, so they are released outside the lock.
        let (waiter, _, _) = state.withLock { state -> (Waiter?, [Value], Termination<Failure>?) in
            let end = state.end
            state.end = .completed
            return (state.waiter.take(), state.values.takeAll(), end)
        }
        waiter?.resume(returning: .ended(.completed))
    }

    func next(isolation: isolated (any Actor)?) async -> Event<Value, Failure> {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { (continuation: Waiter) in
                    if let event = take(orWait: continuation) { continuation.resume(returning: event) }
                    letGoIfHalfEmpty()
                }
            },
            onCancel: { cancel() },
            isolation: isolation
        )
    }

    /// Returns the next buffered event, or stores `continuation` and returns `nil`.
    private func take(orWait continuation: Waiter) -> Event<Value, Failure>? {
        state.withLock { state in
            if let value = state.values.popFirst() { return .value(value) }
            if let end = state.end {
                // The failure is thrown once. After that, `next` returns `nil`.
                state.end = .completed
                return .ended(end)
            }
            require(state.waiter == nil, "another task waits in `next`: use one iterator for each task")
            state.waiter = continuation
            return nil
        }
    }

    private func letGoIfHalfEmpty() {
        let isDue = state.withLock { state in
            guard state.hasPausedSource, state.values.count * 2 <= limit else { return false }
            state.hasPausedSource = false
            return true
        }
        if isDue { subscription.removePause() }
    }
}
