public import ReactiveCore
import ReactiveSupport

extension LoopScheduler {
    /// The process signals that arrive, on the loop: `loop.processSignals(.terminate, .interrupt).take(1)`.
    ///
    /// The handlers are there when `subscribe` returns, unless another thread runs the loop, which then puts them there as
    /// its next work. While one is there, what the process does on that signal otherwise is put aside (rule G3). Several
    /// arrivals of one signal may be one value (G2), and are while the subscription is paused (law 11). It does not keep
    /// `runUntilIdle` waiting, and ends by disposing only; with its loop it ends in silence.
    ///
    /// It fails with `badSignal` where one of them is none, or cannot be caught; then none is handled; with `disposed` on a
    /// loop that has been disposed, with `systemCall` where the system refuses.
    public func processSignals(_ signals: ProcessSignal...) -> Signal<ProcessSignal, LoopError> {
        Signal { [self] emitter, subscription in
            let arrivals = SignalArrivals(self, emitter, subscription)
            do throws(LoopError) {
                try arrivals.listen(to: signals)
            } catch  where error.code == .wrongThread {
                execute {
                    do throws(LoopError) { try arrivals.listen(to: signals) } catch { emitter.fail(error) }
                }
            } catch {
                emitter.fail(error)
            }
        }
    }
}

/// What one subscription to process signals has heard, and may not say yet.
private final class SignalArrivals: Sendable {
    private let loop: any LoopScheduler
    private let emitter: Emitter<ProcessSignal, LoopError>
    private let subscription: SignalSubscription
    /// In the order in which they came first, each once.
    private let waiting = Lock<[ProcessSignal]>([])

    init(
        _ loop: any LoopScheduler,
        _ emitter: Emitter<ProcessSignal, LoopError>,
        _ subscription: SignalSubscription
    ) {
        self.loop = loop
        self.emitter = emitter
        self.subscription = subscription
    }

    /// All of them, or none. On the loop, or while nobody runs it.
    func listen(to signals: [ProcessSignal]) throws(LoopError) {
        if subscription.isDisposed { return }
        var handlers: [any LoopHandle] = []
        do throws(LoopError) {
            for signal in signals { handlers.append(try loop.onSignal(signal) { [self] in arrived(signal) }) }
        } catch {
            for handler in handlers { handler.dispose() }
            throw error
        }
        subscription.onDispose { [handlers] in for handler in handlers { handler.dispose() } }
        // The handlers keep this; the subscription must not, since this keeps it.
        let arrivals = UnsafeTransfer(Weak(self))
        subscription.onFlowChange { [loop] isPaused in
            if !isPaused { loop.execute { arrivals.value.object?.sayWhatWaits() } }
        }
    }

    private func arrived(_ signal: ProcessSignal) {
        waiting.withLock { waiting in if !waiting.contains(signal) { waiting.append(signal) } }
        sayWhatWaits()
    }

    /// On the loop.
    private func sayWhatWaits() {
        while !subscription.isPaused, !subscription.isDisposed {
            let next = waiting.withLock { waiting in waiting.isEmpty ? nil : waiting.removeFirst() }
            guard let next else { return }
            emitter.send(next)
        }
    }
}
