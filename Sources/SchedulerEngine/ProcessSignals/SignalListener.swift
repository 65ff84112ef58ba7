// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSupport
import Synchronization

/// One handler of a process signal on one loop. It consists of an eventfd, to which the signal's C handler writes, and
/// a watch of that eventfd.
final class SignalListener: LoopHandle {
    private let signal: ProcessSignal
    private let core: LoopCore
    private let wake: WakeDescriptor
    let watch: WatchEntry
    private let over = Atomic<Bool>(false)
    /// Whether the C handler has stopped using the descriptor. The descriptor must not be closed before that.
    private let removed = Atomic<Bool>(false)

    init(
        _ core: LoopCore,
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) {
        self.core = core
        self.signal = signal
        let wake = try WakeDescriptor(core.system)
        self.wake = wake
        do {
            let ready: @Sendable (Readiness) -> Void = { _ in
                wake.clear()
                handler()
            }
            watch = try core.watch(wake.descriptor, for: .read, .closure(ready))
        } catch {
            wake.close()
            throw error
        }
        watch.keepsLoopAlive = false
        let code = wake.listen(to: signal.rawValue)
        guard code != 0 else { return }
        watch.dispose()
        wake.close()
        over.store(true, ordering: .releasing)
        if code == EINVAL {
            throw LoopError(.badSignal, errno: code, "cannot handle \(signal): it does not exist or cannot be caught")
        }
        throw LoopError.system("cannot handle \(signal)", code)
    }

    var isDisposed: Bool { over.load(ordering: .acquiring) }

    var keepsLoopAlive: Bool {
        get { watch.keepsLoopAlive }
        set { watch.keepsLoopAlive = newValue }
    }

    func dispose() {
        // Prevents further calls immediately. The loop removes the watch later. Do this first: a second, concurrent
        // `dispose()` returns at once, and even then no call may follow.
        watch.end()
        if over.exchange(true, ordering: .acquiringAndReleasing) { return }
        // A forked child has its own table of handlers. One of the child's handlers may use this descriptor's number
        // (rule F3).
        if core.isForked { return }
        remove()
        core.release(self)
    }

    /// Closes the descriptor. Only the thread that holds the loop's state may call it: a close on another thread could
    /// close a reused number.
    func close() {
        if !over.exchange(true, ordering: .acquiringAndReleasing) { remove() }
        // Another thread may be in the middle of `dispose`. Wait until that thread has removed the number from the C
        // handler's table. Otherwise the handler could write to a reused number.
        while !removed.load(ordering: .acquiring) { ThreadIdentity.yield() }
        wake.close()
    }

    private func remove() {
        wake.stopListening(to: signal.rawValue)
        removed.store(true, ordering: .releasing)
    }
}
