// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Sends the values of a signal through a connection, and pauses the signal if the peer is slow.
///
/// `SignalDestination` in `ReactiveSignals` does the same for any destination. This type needs fewer objects (Decision
/// 0022).
struct SignalWriter<Failure: Error>: SinkTarget, ~Copyable {
    private let core: ConnectionCore
    /// The source's subscription.
    private let source: SourceSubscription
    private let crossing = LoopCrossing()

    init(_ core: ConnectionCore, _ source: SourceSubscription) {
        self.core = core
        self.source = source
    }

    func receive(_ value: Bytes, _ sink: TargetSink<SignalWriter>) {
        if source.isDisposed { return }
        if isNext { write(value) } else { send(value, sink) }
    }

    /// Whether the caller is on the loop, and no earlier value is on its way to the loop.
    @inline(__always)
    private var isNext: Bool { core.isOnLoop && crossing.isNothingUnderWay }

    @inline(never)
    private func send(_ value: Bytes, _ sink: TargetSink<SignalWriter>) {
        let sink = UnsafeTransfer(sink)
        crossing.send(to: core.context.loop, pausing: source) { sink.value.target.write(value) }
    }

    func receive(termination: Termination<Failure>, _ sink: TargetSink<SignalWriter>) {
        guard source.end() else { return }
        if isNext { finish(termination) } else { finishLater(termination, sink) }
    }

    /// A separate function, because a closure that captures a generic value looks up its metadata.
    @inline(never)
    private func finishLater(_ termination: Termination<Failure>, _ sink: TargetSink<SignalWriter>) {
        let sink = UnsafeTransfer(sink)
        core.context.loop.execute { sink.value.target.finish(termination) }
    }

    @inline(__always)
    private func write(_ bytes: Bytes) {
        if source.isDisposed, !core.isOpen { return }
        if let refusal = core.accept(bytes) { return stop(refusal) }
        if core.sending.level == .high { core.pauseSource(source) }
    }

    private func finish(_ termination: Termination<Failure>) {
        core.remove(source)
        switch termination {
        case .completed:
            let source = UnsafeTransfer(source)
            core.finishSending { termination, isHandledElsewhere in
                source.value.settle(termination, isHandledElsewhere: isHandledElsewhere)
            }
        case .failed(let failure):
            let error =
                failure as? SocketError
                ?? SocketError(.sourceFailed, "cannot send to \(core.peer): the source failed: \(failure)")
            core.abort(error, from: source)
            source.settle(.failed(error), isHandledElsewhere: !core.claimReport())
        }
    }

    private func stop(_ error: SocketError) {
        core.remove(source)
        source.fail(error)
    }
}
