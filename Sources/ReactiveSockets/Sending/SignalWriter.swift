import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Sends what a signal sends through a connection, and holds the signal back for a slow peer.
///
/// A `SignalDestination`, in `ReactiveSignals`, is the general form; this one needs fewer objects (Decision 0022).
struct SignalWriter<Failure: Error>: SinkTarget, ~Copyable {
    private let core: ConnectionCore
    /// The source's subscription.
    private let end: SourceSubscription
    private let handOver = HandOver()

    init(_ core: ConnectionCore, _ end: SourceSubscription) {
        self.core = core
        self.end = end
    }

    func receive(_ value: Bytes, _ sink: TargetSink<SignalWriter>) {
        if end.isDisposed { return }
        if isNext { write(value) } else { send(value, sink) }
    }

    /// Whether this is the loop, and nothing is on its way to it.
    @inline(__always)
    private var isNext: Bool { core.isOnLoop && handOver.isNothingUnderWay }

    @inline(never)
    private func send(_ value: Bytes, _ sink: TargetSink<SignalWriter>) {
        let sink = UnsafeTransfer(sink)
        handOver.send(to: core.context.loop, holding: end) { sink.value.target.write(value) }
    }

    func receive(termination: Termination<Failure>, _ sink: TargetSink<SignalWriter>) {
        guard end.end() else { return }
        if isNext { return finish(termination) }
        let sink = UnsafeTransfer(sink)
        core.context.loop.execute { sink.value.target.finish(termination) }
    }

    @inline(__always)
    private func write(_ bytes: Bytes) {
        if end.isDisposed, !core.isOpen { return }
        if let refusal = core.accept(bytes) { return stop(refusal) }
        if core.sending.level == .high { core.pauseSource(end) }
    }

    private func finish(_ termination: Termination<Failure>) {
        core.remove(end)
        switch termination {
        case .completed:
            let end = UnsafeTransfer(end)
            core.finishSending { termination in end.value.settle(termination) }
        case .failed(let failure):
            let error =
                failure as? SocketError ?? SocketError(.sourceFailed, "the signal being sent failed: \(failure)")
            core.abort(error)
            end.settle(.failed(error))
        }
    }

    private func stop(_ error: SocketError) {
        core.remove(end)
        end.fail(error)
    }
}
