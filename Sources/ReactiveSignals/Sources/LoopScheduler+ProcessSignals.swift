// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension LoopScheduler {
    /// Returns a signal that sends the given process signals as they arrive, on the loop.
    ///
    /// Example: `loop.processSignals(.terminate, .interrupt).take(1)`.
    ///
    /// On the loop's thread, or while the loop does not run, `subscribe` installs the handlers before it returns.
    /// Otherwise a job of the loop installs them later. While a handler is installed, the previous disposition of its
    /// process signal is suspended (rule G3). Disposing the subscription removes the handlers. Several arrivals of one
    /// process signal may become one value (G2). Arrivals during a pause become one value for each process signal
    /// ([law 11](doc:LawsOfSignals)).
    ///
    /// The subscription does not keep the loop alive. The returned `Signal` never completes. If the loop is disposed,
    /// nothing more is sent, not even a termination.
    ///
    /// If one handler cannot be installed, no handler is installed, and the returned `Signal` fails:
    /// - `badSignal` for a number that is not a signal or cannot be caught
    /// - `disposed` on a disposed loop
    /// - `systemCall` if the system refuses
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

/// The process signals that have arrived for one subscription and have not been sent.
private final class SignalArrivals: Sendable {
    private let loop: any LoopScheduler
    private let emitter: Emitter<ProcessSignal, LoopError>
    private let subscription: SignalSubscription
    /// In the order of their first arrival, without duplicates.
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

    /// Installs all handlers, or none. Call it on the loop's thread, or while the loop does not run.
    ///
    /// - Throws: The error of `onSignal` for the first signal that it refuses.
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
        // Weak: the handlers retain this object, and this object retains the subscription.
        let arrivals = UnsafeTransfer(Weak(self))
        subscription.onFlowChange { [loop] isPaused in
            if !isPaused { loop.execute { arrivals.value.object?.sayWhatWaits() } }
        }
    }

    private func arrived(_ signal: ProcessSignal) {
        waiting.withLock { waiting in if !waiting.contains(signal) { waiting.append(signal) } }
        sayWhatWaits()
    }

    /// Sends the waiting signals unless paused. Runs on the loop.
    private func sayWhatWaits() {
        while !subscription.isPaused, !subscription.isDisposed {
            let next = waiting.withLock { waiting in waiting.isEmpty ? nil : waiting.removeFirst() }
            guard let next else { return }
            emitter.send(next)
        }
    }
}
