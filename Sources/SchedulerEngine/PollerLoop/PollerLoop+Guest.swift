// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Creates a loop that is a guest of `host`. The host owns the thread and runs the guest's turns.
    ///
    /// `LibuvLoop(attachedTo:)`, `LibeventLoop(attachedTo:)` and `DispatchLoop(attachedTo:)` call this with their
    /// hosts. For any other library, write a ``LoopHost`` and use `EpollLoop(attachedTo:name:)`. A guest waits with an
    /// epoll set, whatever `Back` is, and the host watches that set. Create the guest on the host's thread, or on any
    /// thread before the host runs.
    ///
    /// The contract of `LoopScheduler` applies, except that the host decides when the guest runs:
    ///
    /// - `run`, `runUntilIdle` and `runOnce` throw `runByHost`, and `stop()` does nothing.
    /// - Call `watch` and `onSignal` on the host's thread, during the guest's turns or between them. On other threads
    ///   they throw `wrongThread`.
    /// - The host retains the guest until the guest is disposed, so releasing the result does not dispose it.
    /// - `dispose()` on the host's thread takes effect immediately. In a turn, it takes effect after the current
    ///   callback. If it is called on another thread, or before the first turn, the host's thread disposes the guest
    ///   when the host runs next.
    ///
    /// - Parameters:
    ///   - host: The loop that runs the guest.
    ///   - name: The name in messages.
    ///   - servesMainQueue: Whether the guest's turns serve `DispatchQueue.main`, and with it `@MainActor`. Use it if
    ///     the host owns the main thread and does not serve that queue itself. If the host runs the guest on another
    ///     thread, the first turn that serves the queue traps.
    /// - Throws: `systemCall` if the system has no descriptor or memory left, and the errors of the host's `attach`.
    ///   All resources of the guest are then released.
    public convenience init(
        attachedTo host: some LoopHost,
        name: String,
        servesMainQueue: Bool = false
    ) throws(LoopError) {
        // The loop stores only the address, and never dereferences it.
        let address = unsafe UInt(bitPattern: host.nativeHandle)
        try self.init(of: .host, name: name, clock: MonotonicClock(), hostAddress: address)
        try core.attach(to: host, servesMainQueue: servesMainQueue) { [self] in turnForHost() }
    }

    /// Whether nothing keeps the loop alive, and the number of callbacks so far. Tests that drive a host use it.
    package func progress() throws(LoopError) -> (isIdle: Bool, callbacks: UInt64) {
        try core.withState("progress") { state in
            let isIdle = state.aliveCount == 0 && !state.hasWork && core.inbox.withLock { inbox in inbox.isEmpty }
            return (isIdle, state.callbacks)
        }
    }

    /// Runs one turn. The host calls it.
    func turnForHost() {
        do {
            try core.turnAsGuest()
        } catch {
            switch error.code {
            // The host has been detached, but its library had already queued this call.
            case .disposed: return
            // This is a forked child, and the loop belongs to the parent.
            case .forked: return
            // The main thread's loop is in its own run, or a callback of this loop runs the host's loop. The current
            // turn continues.
            case .alreadyRunning where thread == .main || core.isHeldHere: return
            case .alreadyRunning:
                trap(
                    "loop \(name): its host runs it on two threads at once; a host must call one turn at a time"
                )
            default: fatalError("loop \(name) cannot continue on its host: \(error)")
            }
        }
    }
}
