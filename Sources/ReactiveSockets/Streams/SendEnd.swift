import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// How a `send(from:)` went, and who wants to know. It belongs to the connection's loop.
///
/// The connection holds this, not the writer: it is not to keep what keeps the connection.
final class SendEnd {
    private indirect enum Outcome {
        case underWay, completed
        case failed(SocketError)
    }

    /// The source's.
    let subscription: SignalSubscription
    private let place: ConnectionPlace
    private var outcome = Outcome.underWay
    /// Nearly always the only one.
    private var first: Observation?
    private var others: [Observation]?

    private struct Observation {
        let sink: Sink<Never, SocketError>
        let subscription: SignalSubscription
    }

    init(_ subscription: SignalSubscription, _ place: ConnectionPlace) {
        self.subscription = subscription
        self.place = place
    }

    private var loop: any LoopScheduler { place.loop }

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
        switch outcome {
        case .underWay:
            let observation = Observation(sink: sink, subscription: subscription)
            if first == nil { first = observation } else { others = (others ?? []) + [observation] }
        case .completed: sink.receive(termination: .completed)
        case .failed(let error): sink.receive(termination: .failed(error))
        }
    }

    /// Lets go of whoever does not observe any more. Any thread.
    private func forget() {
        let end = Confined(self)
        loop.runOrExecute { end.value.dropDisposed() }
    }

    private func dropDisposed() {
        // Nobody waits.
        if first == nil, others == nil { return }
        let (first, others) = (first, others)
        if first?.subscription.isDisposed == true { self.first = nil }
        if let others { self.others = others.filter { !$0.subscription.isDisposed } }
        // Only now may they go: what they hold may ask for this again while it goes.
        withExtendedLifetime((first, others)) {}
    }

    /// Tells everybody, once.
    func settle(_ termination: Termination<SocketError>) {
        guard case .underWay = outcome else { return }
        switch termination {
        case .completed: outcome = .completed
        case .failed(let error): outcome = .failed(error)
        }
        let (first, others) = (first, others)
        (self.first, self.others) = (nil, nil)
        first?.sink.receive(termination: termination)
        for other in others ?? [] { other.sink.receive(termination: termination) }
    }

    /// The connection has ended before the source has.
    func breakOff(_ error: SocketError) {
        subscription.dispose()
        settle(.failed(error))
    }
}
