// SPDX-License-Identifier: MIT
package import ReactiveCore
package import ReactiveSupport

/// An object that belongs to a loop and writes the values of signals: a datagram socket, a NATS client, a WebSocket.
///
/// A connection does not conform: its `SignalWriter`, in `ReactiveSockets`, does the same with fewer objects (Decision
/// 0022). The body of a message of HTTP has no outcome of its own (Decision 0075).
package protocol SignalDestination: AnyObject, SendableMetatype {
    associatedtype Value: Sendable
    associatedtype WriteFailure: Error

    /// The signals that are being written. The destination ends them when it closes.
    var sources: WrittenSources<WriteFailure> { get set }

    /// The reason why the destination accepts no more values, or `nil` while it is open.
    var refusal: WriteFailure? { get }

    /// Writes one value. Pauses `source` while too much waits (``pause(_:)``). Does nothing if the destination accepts no
    /// more values: then it has already failed the writing.
    func write(_ value: Value, from source: SignalSubscription)

    /// Calls `settle` when everything written so far has been sent, or cannot be sent any more.
    func whenWritten(_ settle: @escaping @Sendable (Termination<WriteFailure>) -> Void)

    /// Acts on the termination of a source, and calls `settle` with that of the writing.
    func sourceEnded(
        _ termination: Termination<WriteFailure>,
        _ settle: @escaping @Sendable (Termination<WriteFailure>) -> Void
    )

    /// The name of the operation in reports of unhandled failures, for example `DatagramSocket.send(from:)`.
    static var writing: StaticString { get }

    /// Converts the failure of a source to the failure of writing it.
    static func failure(ofSource failure: any Error) -> WriteFailure
}

extension SignalDestination {
    package func sourceEnded(
        _ termination: Termination<WriteFailure>,
        _ settle: @escaping @Sendable (Termination<WriteFailure>) -> Void
    ) {
        if case .completed = termination { whenWritten(settle) } else { settle(termination) }
    }

    /// Pauses a source until ``WrittenSources/takePauses()``.
    package func pause(_ source: SignalSubscription) {
        if source.isDisposed { return }
        // Before the access to `sources`: a listener of the pause may call any member of the destination.
        let pause = source.pause()
        sources.keep(pause)
    }

    /// Subscribes to `source` immediately and writes its values on the loop. Any thread may call it.
    ///
    /// - Parameters:
    ///   - owner: An object to retain while the source is being written.
    ///   - peer: The name of the peer in the ``LiveGraph``.
    /// - Returns: A signal that completes when everything has been written. It fails if the destination closes or the
    ///   source fails first.
    package static func write<Failure: Error>(
        _ source: Signal<Value, Failure>,
        to destination: UnsafeTransfer<Self>,
        on loop: any LoopScheduler,
        keeping owner: (any AnyObject & Sendable)? = nil,
        for peer: @autoclosure () -> String? = nil
    ) -> Signal<Never, WriteFailure> {
        let end = DiscardableOutcome<WriteFailure>(of: writing, keeping: owner)
        let subscription = SignalSubscription()
        if LiveGraph.isOn, let peer = peer() { LiveGraph.name(subscription, "\(writing)", for: peer) }
        let writer = DestinationWriter<Self, Failure>(
            destination: destination,
            loop: loop,
            subscription: subscription,
            end: end
        )
        let sink = TargetSink(writer)
        sink.target.begin(sink)
        // Does nothing if the destination has already refused.
        source.attach(sink, in: subscription)
        return end.signal
    }
}

/// The signals that a destination is writing, and their pauses.
package struct WrittenSources<Failure: Error> {
    /// One signal. It stores these parts and not the writer, because the writer retains the destination.
    fileprivate struct Source {
        let subscription: SignalSubscription
        let end: DiscardableOutcome<Failure>
    }

    /// All sources of a destination that has closed. It ends them when its own state is consistent.
    package struct Taken {
        fileprivate let sources: [Source]
        fileprivate let pauses: [any Disposable]

        /// Ends the writing, because the destination has closed before the sources have terminated.
        package func end(with failure: Failure) {
            // The sources end first. Without their pauses they would send values that nothing accepts.
            for source in sources {
                source.subscription.dispose()
                source.end.fail(failure)
            }
            for pause in pauses { pause.dispose() }
        }

        /// Releases the sources without notifying subscribers, because the destination's loop has been disposed.
        package func abandon() {
            for source in sources {
                source.subscription.dispose()
                source.end.release()
            }
        }
    }

    /// The key is the identity of `end`, which the ``Source`` retains. The identity of the writer is not unique: the
    /// writer may be freed without a termination, and a later writer may get its address.
    private var all = IdentityTable<Source>()
    private var pauses: [any Disposable] = []

    package init() {}

    /// Removes and returns all sources, in the order in which they began, and their pauses.
    package mutating func takeAll() -> Taken {
        defer { all = IdentityTable() }
        return Taken(sources: all.values, pauses: takePauses())
    }

    fileprivate mutating func keep(_ pause: any Disposable) { pauses.append(pause) }

    /// Whether a source is paused.
    package var arePaused: Bool { !pauses.isEmpty }

    /// Removes and returns the pauses of all sources. The caller disposes them when its own state is consistent.
    package mutating func takePauses() -> [any Disposable] { pauses.takeAll() }

    fileprivate mutating func add(_ subscription: SignalSubscription, _ end: DiscardableOutcome<Failure>) {
        all[ObjectIdentifier(end)] = Source(subscription: subscription, end: end)
    }

    /// Returns false if the destination has already ended the source.
    fileprivate mutating func remove(_ end: DiscardableOutcome<Failure>) -> Bool {
        all.removeValue(forKey: ObjectIdentifier(end)) != nil
    }
}

/// Writes the values of one signal.
private struct DestinationWriter<Destination: SignalDestination, Failure: Error>: SinkTarget, ~Copyable {
    typealias Value = Destination.Value

    let destination: UnsafeTransfer<Destination>
    let loop: any LoopScheduler
    let subscription: SignalSubscription
    let end: DiscardableOutcome<Destination.WriteFailure>
    private let crossing = LoopCrossing()

    /// Registers the source at the destination: now, or in a job, which values and the termination then follow.
    func begin(_ sink: TargetSink<DestinationWriter>) {
        if loop.isCurrent { return register() }
        let sink = UnsafeTransfer(sink)
        // A disposed loop drops the job.
        let disposal = loop.onDispose { [subscription, end] in
            subscription.dispose()
            end.release()
        }
        crossing.send(to: loop, pausing: subscription) {
            disposal.dispose()
            sink.value.target.register()
        }
    }

    private func register() {
        if let refusal = destination.value.refusal {
            subscription.dispose()
            return end.fail(refusal)
        }
        destination.value.sources.add(subscription, end)
    }

    func receive(_ value: Value, _ sink: TargetSink<DestinationWriter>) {
        if subscription.isDisposed { return }
        if crossing.isThere(on: loop) { return destination.value.write(value, from: subscription) }
        let sink = UnsafeTransfer(sink)
        crossing.send(to: loop, pausing: subscription) {
            let writer = sink.value
            writer.target.destination.value.write(value, from: writer.target.subscription)
        }
    }

    func receive(termination: Termination<Failure>, _ sink: TargetSink<DestinationWriter>) {
        guard subscription.end() else { return }
        if crossing.isThere(on: loop) { return finish(termination) }
        let sink = UnsafeTransfer(sink)
        loop.execute { sink.value.target.finish(termination) }
    }

    private func finish(_ termination: Termination<Failure>) {
        guard destination.value.sources.remove(end) else { return }
        let settle: @Sendable (Termination<Destination.WriteFailure>) -> Void = { [end] termination in
            end.send(termination: termination)
        }
        switch termination {
        case .completed: destination.value.sourceEnded(.completed, settle)
        case .failed(let failure):
            let error = failure as? Destination.WriteFailure ?? Destination.failure(ofSource: failure)
            destination.value.sourceEnded(.failed(error), settle)
        }
    }
}
