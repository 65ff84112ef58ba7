// SPDX-License-Identifier: MIT
package import ReactiveCore
package import ReactiveSupport

/// An object that belongs to a loop and writes the values of signals: a datagram socket, a NATS client.
///
/// A connection does not conform: its `SignalWriter`, in `ReactiveSockets`, does the same with fewer objects (Decision
/// 0022).
package protocol SignalDestination: AnyObject, SendableMetatype {
    associatedtype Value: Sendable
    associatedtype WriteFailure: Error

    /// The signals that are being written. The destination ends them when it closes.
    var sources: WrittenSources<WriteFailure> { get set }

    /// The reason why the destination accepts no more values, or `nil` while it is open.
    var refusal: WriteFailure? { get }

    /// Writes one value. Pauses `source` while too much waits.
    func write(_ value: Value, from source: SignalSubscription)

    /// Calls `end` when everything written so far has been sent, or cannot be sent any more.
    func whenWritten(_ end: @escaping @Sendable (Termination<WriteFailure>) -> Void)

    /// The name of the operation in reports of unhandled failures, for example `DatagramSocket.send(from:)`.
    static var writing: StaticString { get }

    /// Converts the failure of a source to the failure of writing it.
    static func failure(ofSource failure: any Error) -> WriteFailure
}

extension SignalDestination {
    /// Subscribes to `source` immediately and writes its values on the loop. Any thread may call it.
    ///
    /// - Parameter owner: An object to retain while the source is being written.
    /// - Returns: A signal that completes when everything has been written. It fails if the destination closes or the
    ///   source fails first.
    package static func write<Failure: Error>(
        _ source: Signal<Value, Failure>,
        to destination: UnsafeTransfer<Self>,
        on loop: any LoopScheduler,
        keeping owner: (any AnyObject & Sendable)? = nil
    ) -> Signal<Never, WriteFailure> {
        let end = DiscardableOutcome<WriteFailure>(of: writing, keeping: owner)
        let subscription = SignalSubscription()
        let writer = DestinationWriter<Self, Failure>(destination, loop, subscription, end)
        loop.runOrExecute { writer.start() }
        // Does nothing if the destination has already refused.
        source.subscribe(writer, in: subscription)
        return end.signal
    }
}

/// The signals that a destination is writing.
package struct WrittenSources<Failure: Error> {
    /// One signal. It stores these parts and not the writer, because the writer retains the destination.
    package struct Source {
        fileprivate let subscription: SignalSubscription
        fileprivate let end: DiscardableOutcome<Failure>

        /// Ends the writing, because the destination has closed before the source has terminated.
        package func end(with failure: Failure) {
            subscription.dispose()
            end.fail(failure)
        }

        /// Releases the source without notifying subscribers, because the destination's loop has been disposed.
        package func abandon() {
            subscription.dispose()
            end.release()
        }
    }

    /// The key is the identity of `end`, which the ``Source`` retains. The identity of the writer is not unique: the
    /// writer may be freed without a termination, and a later writer may get its address.
    private var all = IdentityTable<Source>()

    package init() {}

    /// Removes and returns all sources, in the order in which they began. The caller ends them when its own state is
    /// consistent.
    package mutating func takeAll() -> [Source] {
        defer { all = IdentityTable() }
        return all.values
    }

    fileprivate mutating func add(_ subscription: SignalSubscription, _ end: DiscardableOutcome<Failure>) {
        all[ObjectIdentifier(end)] = Source(subscription: subscription, end: end)
    }

    /// Returns false if the destination has already ended the source.
    fileprivate mutating func remove(_ end: DiscardableOutcome<Failure>) -> Bool {
        all.removeValue(forKey: ObjectIdentifier(end)) != nil
    }
}

/// Writes the values of one signal.
private final class DestinationWriter<Destination: SignalDestination, Failure: Error>: Observer {
    typealias Value = Destination.Value

    private let destination: UnsafeTransfer<Destination>
    private let loop: any LoopScheduler
    private let subscription: SignalSubscription
    private let end: DiscardableOutcome<Destination.WriteFailure>
    private let crossing = LoopCrossing()

    init(
        _ destination: UnsafeTransfer<Destination>,
        _ loop: any LoopScheduler,
        _ subscription: SignalSubscription,
        _ end: DiscardableOutcome<Destination.WriteFailure>
    ) {
        self.destination = destination
        self.loop = loop
        self.subscription = subscription
        self.end = end
    }

    /// Registers the writer. It runs on the loop, before the first value.
    func start() {
        if let refusal = destination.value.refusal {
            subscription.dispose()
            return end.fail(refusal)
        }
        destination.value.sources.add(subscription, end)
    }

    func receive(_ value: Value) {
        if crossing.isThere(on: loop) { return write(value) }
        crossing.send(to: loop, pausing: subscription) { [self] in write(value) }
    }

    func receive(termination: Termination<Failure>) {
        if crossing.isThere(on: loop) { return finish(termination) }
        loop.execute { [self] in finish(termination) }
    }

    private func write(_ value: Value) {
        // A destination that has closed has already failed the writing.
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
