// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The subscription of a `send(from:)` to its source, with its outcome and its observers.
///
/// The connection retains this object instead of the writer, because the writer retains the connection.
typealias SourceSubscription = SubscriptionHolding<ConnectionContext, SourceOutcome>

/// The outcome of a `send(from:)`, and its observers. Only the connection's loop accesses it.
struct SourceOutcome {
    /// It is kept to one word, because every sending connection stores it.
    fileprivate enum State {
        case underWay
        /// The usual case: one observer, which cannot be removed.
        case observer(Sink<Never, SocketError>)
        indirect case observers([Observation])
        case completed
        case failed(UnobservedFailure<SocketError>)
    }

    fileprivate struct Observation {
        let sink: Sink<Never, SocketError>
        /// Disposing this subscription removes the observer. `nil` means that the observer cannot be removed.
        let subscription: SignalSubscription?
    }

    fileprivate var state = State.underWay

    fileprivate var observations: [Observation] {
        switch state {
        case .observer(let sink): [Observation(sink: sink, subscription: nil)]
        case .observers(let all): all
        case .underWay, .completed, .failed: []
        }
    }
}

extension SourceSubscription {
    private var loop: any LoopScheduler { home.loop }

    /// A signal of the termination, for ``Connection/send(from:)``.
    static func signal(_ source: UnsafeTransfer<SourceSubscription>) -> Signal<Never, SocketError> {
        .starting(from: source.value) { sink, subscription in
            if subscription.isDisposed { return }
            let sink = subscription.restoring(sink)
            let loop = source.value.loop
            if let error = loop.refusal(as: SocketError.self) { return sink.receive(termination: .failed(error)) }
            // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
            if loop.isCurrent {
                source.value.observe(sink, subscription)
            } else {
                let sink = UnsafeTransfer(sink)
                loop.execute { source.value.observe(sink.value, subscription) }
            }
            subscription.onDispose { source.value.forget() }
        }
    }

    /// Sends the termination to `sink`, now or later. Without a subscription, the observer cannot be removed. Call it
    /// on the loop.
    func observe(_ sink: Sink<Never, SocketError>, _ subscription: SignalSubscription? = nil) {
        if subscription?.isDisposed == true { return }
        switch content.state {
        case .underWay where subscription == nil: content.state = .observer(sink)
        case .underWay, .observer, .observers:
            let observation = SourceOutcome.Observation(sink: sink, subscription: subscription)
            content.state = .observers(content.observations + [observation])
        case .completed: sink.receive(termination: .completed)
        case .failed(let failure): sink.receive(termination: .failed(failure.observe()))
        }
    }

    /// Whether something receives the termination.
    var isObserved: Bool {
        switch content.state {
        case .observer: true
        // Disposed observers are removed later.
        case .observers(let all): all.contains { $0.subscription?.isDisposed != true }
        case .underWay, .completed, .failed: false
        }
    }

    /// Removes disposed observers. Any thread may call it.
    private func forget() {
        let source = UnsafeTransfer(self)
        loop.runOrExecute { source.value.dropDisposed() }
    }

    private func dropDisposed() {
        // Released last, because their release may run code that calls this method again (law 3).
        let last = content.state
        if case .observers(let all) = last {
            let left = all.filter { $0.subscription?.isDisposed != true }
            content.state = left.isEmpty ? .underWay : .observers(left)
        }
        withExtendedLifetime(last) {}
    }

    /// Stores the termination and sends it to all observers. Later calls do nothing.
    ///
    /// A failure that nothing has received is reported when the result and this object have been released.
    /// `isHandledElsewhere` says whether something else receives or reports it.
    func settle(_ termination: Termination<SocketError>, isHandledElsewhere: Bool = false) {
        let last = content
        let isHandled = isHandledElsewhere || isObserved
        switch last.state {
        case .completed, .failed: return
        case .underWay, .observer, .observers: break
        }
        switch termination {
        case .completed: content.state = .completed
        case .failed(let error):
            content.state = .failed(
                UnobservedFailure(error, of: "Connection.send(from:)", isObserved: isHandled)
            )
        }
        if case .observer(let sink) = last.state { return sink.receive(termination: termination) }
        for observation in last.observations { observation.sink.receive(termination: termination) }
    }

    /// Disposes the source and releases all observers, which may retain this object, because the loop has been disposed.
    func abandon() {
        dispose()
        // Released last, because a release may run user code (law 3).
        let last = content.state
        content.state = .underWay
        withExtendedLifetime(last) {}
    }

    /// Disposes the source, and settles with the error that ended the connection or its sending.
    func fail(_ error: SocketError, isHandledElsewhere: Bool = false) {
        dispose()
        settle(.failed(error), isHandledElsewhere: isHandledElsewhere)
    }
}
