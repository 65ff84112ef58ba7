package import ReactiveCore
package import ReactiveSupport

/// What belongs to a loop and writes the values of signals: a datagram socket, a NATS client.
package protocol SignalDestination: AnyObject, SendableMetatype {
    associatedtype Value: Sendable
    associatedtype WriteFailure: Error

    /// The signals that are being written. The destination's end ends them.
    var sources: WrittenSources<WriteFailure> { get set }

    /// Why nothing can be written any more; nil while the destination is open.
    var refusal: WriteFailure? { get }

    /// Writes one value, and pauses `source` while too much waits.
    func write(_ value: Value, from source: SignalSubscription)

    /// Calls `end` when everything written so far has been settled.
    func whenWritten(_ end: @escaping @Sendable (Termination<WriteFailure>) -> Void)

    /// What the writer of a signal gets if the signal fails.
    static func failure(ofSource failure: any Error) -> WriteFailure
}

extension SignalDestination {
    /// Subscribes to `source` at once and writes its values on the loop. The result completes when everything has been written, and fails
    /// if the destination ends or the source fails first. Any thread.
    package static func write<Failure: Error>(
        _ source: Signal<Value, Failure>,
        to destination: UnsafeTransfer<Self>,
        on loop: any LoopScheduler
    ) -> Signal<Never, WriteFailure> {
        let end = Subject<Never, WriteFailure>()
        let subscription = SignalSubscription()
        let writer = DestinationWriter<Self, Failure>(destination, loop, subscription, end)
        loop.runOrExecute { writer.start() }
        // `subscribe` does nothing if the destination has refused already.
        source.subscribe(writer, in: subscription)
        return end.signal
    }
}

/// The signals that a destination is writing.
package struct WrittenSources<Failure: Error> {
    /// One signal. It holds the parts and not the writer: the destination must not keep what keeps the destination.
    package struct Source {
        fileprivate let subscription: SignalSubscription
        fileprivate let end: Subject<Never, Failure>

        /// The destination has ended before the source has.
        package func end(with failure: Failure) {
            subscription.dispose()
            end.fail(failure)
        }

        /// The destination's loop is over: nobody is left to be notified.
        package func abandon() { subscription.dispose() }
    }

    /// By their ends, which they hold: a source may go without having ended, and the next writer have the writer's address.
    private var all: [ObjectIdentifier: Source] = [:]

    package init() {}

    /// Takes all of them out, for the caller to end when its own state is in order.
    package mutating func takeAll() -> [Source] {
        defer { all = [:] }
        return Array(all.values)
    }

    fileprivate mutating func add(_ subscription: SignalSubscription, _ end: Subject<Never, Failure>) {
        all[ObjectIdentifier(end)] = Source(subscription: subscription, end: end)
    }

    /// False if the destination has ended it.
    fileprivate mutating func remove(_ end: Subject<Never, Failure>) -> Bool {
        all.removeValue(forKey: ObjectIdentifier(end)) != nil
    }
}

/// Writes what one signal sends.
private final class DestinationWriter<Destination: SignalDestination, Failure: Error>: Observer {
    typealias Value = Destination.Value

    private let destination: UnsafeTransfer<Destination>
    private let loop: any LoopScheduler
    private let subscription: SignalSubscription
    private let end: Subject<Never, Destination.WriteFailure>
    private let handOver = HandOver()

    init(
        _ destination: UnsafeTransfer<Destination>,
        _ loop: any LoopScheduler,
        _ subscription: SignalSubscription,
        _ end: Subject<Never, Destination.WriteFailure>
    ) {
        self.destination = destination
        self.loop = loop
        self.subscription = subscription
        self.end = end
    }

    /// On the loop, before the first value.
    func start() {
        if let refusal = destination.value.refusal {
            subscription.dispose()
            return end.fail(refusal)
        }
        destination.value.sources.add(subscription, end)
    }

    func receive(_ value: Value) {
        if handOver.isThere(on: loop) { return write(value) }
        handOver.send(to: loop, holding: subscription) { [self] in write(value) }
    }

    func receive(termination: Termination<Failure>) {
        if handOver.isThere(on: loop) { return finish(termination) }
        loop.execute { [self] in finish(termination) }
    }

    private func write(_ value: Value) {
        // A destination that has ended has said so already.
        if destination.value.refusal == nil { destination.value.write(value, from: subscription) }
    }

    private func finish(_ termination: Termination<Failure>) {
        guard destination.value.sources.remove(end) else { return }
        switch termination {
        case .completed: destination.value.whenWritten { [end] termination in end.send(termination: termination) }
        case .failed(let failure):
            end.fail(failure as? Destination.WriteFailure ?? Destination.failure(ofSource: failure))
        }
    }
}
