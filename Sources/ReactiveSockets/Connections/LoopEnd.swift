// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
import Synchronization

/// Calls a closure when a closure that captures it is released by a disposed loop, unless it was cancelled before.
///
/// The call is made on the thread that disposes the loop, when no callback of the loop runs any more. If the loop refuses
/// the capturing closure because it is being disposed, the call is made on the thread that has submitted that closure. The
/// loop may then still be releasing what it retains.
package final class LoopEnd: Sendable {
    private let loop: any LoopScheduler
    private let work: @Sendable () -> Void
    private let isCancelled = Atomic(false)

    package init(_ loop: any LoopScheduler, _ work: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.work = work
    }

    deinit {
        if !isCancelled.load(ordering: .acquiring), loop.isDisposed { work() }
    }

    /// Any thread may call it.
    package func cancel() { isCancelled.store(true, ordering: .releasing) }
}

extension LoopScheduler {
    /// Calls `work` when the loop is disposed (``LoopEnd``). The loop retains `work` until then, or until the result is
    /// disposed. Any thread may call it. If the loop has been disposed, `work` is called immediately.
    package func whenDisposed(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let end = LoopEnd(self, work)
        // The timer never fires. The loop only has to retain its closure.
        let timer = schedule(at: .distantFuture, options: TimerOptions(keepsLoopAlive: false)) {
            withExtendedLifetime(end) {}
        }
        return AnyDisposable { [weak end] in
            end?.cancel()
            timer.dispose()
        }
    }
}
