// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
import Synchronization

/// Calls `work` if a disposed loop drops a job or a timer. The closure of that job or timer captures this object, and
/// cancels it when it runs.
///
/// `work` is called on the thread that disposes the loop, when no callback of the loop runs any more. A loop that is being
/// disposed may also refuse the closure. Then `work` is called on the thread that has submitted the closure, and the loop
/// may still be releasing what it retains.
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
        // This timer never fires: the loop only has to retain its closure.
        let timer = schedule(at: .distantFuture, options: TimerOptions(keepsLoopAlive: false)) {
            withExtendedLifetime(end) {}
        }
        return AnyDisposable { [weak end] in
            end?.cancel()
            timer.dispose()
        }
    }
}
