import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The subscription of a `send(from:)` to its source, with how it went, and who wants to know.
///
/// The connection holds this, not the writer: it is not to keep what keeps the connection.
typealias SendEnd = SubscriptionHolding<ConnectionPlace, SendProgress>

/// How a `send(from:)` went, and who wants to know. It belongs to the connection's loop.
struct SendProgress {
    fileprivate enum State {
        /// Nearly always nobody or one wants to know.
        case underWay
        case observed(Observation)
        case observedByMany([Observation])
        case over(Outcome)
    }

    fileprivate indirect enum Outcome {
        case completed
        case failed(SocketError)
    }

    fileprivate struct Observation {
        let sink: Sink<Never, SocketError>
        let subscription: SignalSubscription
    }

    fileprivate var state = State.underWay
}

extension SendEnd {
    private var loop: any LoopScheduler { home.loop }

    /// A signal of the end.
    static func signal(_ end: Confined<SendEnd>) -> Signal<Never, SocketError> {
        .starting { sink, subscription in
            if subscription.isDisposed { return }
            let loop = end.value.loop
            if let over = loop.overError { return sink.receive(termination: .failed(over)) }
            // Not `runOrExecute`: nearly always it is here, and needs no closure.
            if loop.isCurrent {
                end.value.observe(sink, subscription)
            } else {
                let sink = Confined(sink)
                loop.execute { end.value.observe(sink.value, subscription) }
            }
            subscription.onDispose { end.value.forget() }
        }
    }

    private func observe(_ sink: Sink<Never, SocketError>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        let observation = SendProgress.Observation(sink: sink, subscription: subscription)
        switch content.state {
        case .underWay: content.state = .observed(observation)
        case .observed(let one): content.state = .observedByMany([one, observation])
        case .observedByMany(let others): content.state = .observedByMany(others + [observation])
        case .over(.completed): sink.receive(termination: .completed)
        case .over(.failed(let error)): sink.receive(termination: .failed(error))
        }
    }

    /// Lets go of whoever does not observe any more. Any thread.
    private func forget() {
        let end = Confined(self)
        loop.runOrExecute { end.value.dropDisposed() }
    }

    private func dropDisposed() {
        // They may go only when everything is in order: what they hold may ask for this again while it goes.
        let last = content.state
        switch last {
        case .observed(let one): if one.subscription.isDisposed { content.state = .underWay }
        case .observedByMany(let all): content.state = .observedByMany(all.filter { !$0.subscription.isDisposed })
        case .underWay, .over: break
        }
        withExtendedLifetime(last) {}
    }

    /// Tells everybody, once.
    func settle(_ termination: Termination<SocketError>) {
        let last = content.state
        if case .over = last { return }
        switch termination {
        case .completed: content.state = .over(.completed)
        case .failed(let error): content.state = .over(.failed(error))
        }
        switch last {
        case .observed(let one): one.sink.receive(termination: termination)
        case .observedByMany(let all): for observer in all { observer.sink.receive(termination: termination) }
        case .underWay, .over: break
        }
    }

    /// The connection has ended before the source has.
    func breakOff(_ error: SocketError) {
        dispose()
        settle(.failed(error))
    }
}
