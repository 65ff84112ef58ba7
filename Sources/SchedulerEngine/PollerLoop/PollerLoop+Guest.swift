// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Attaches a new loop to a host loop, which owns the thread and runs the new loop's turns.
    ///
    /// `LibuvLoop(attachedTo:)`, `LibeventLoop(attachedTo:)` and `DispatchLoop(attachedTo:)` call this with their
    /// hosts. For any other library, write a ``LoopHost`` and use `EpollLoop(attachedTo:name:)`. The guest waits with
    /// an epoll set, whatever `Back` is, and the host watches that set. Create the guest on the host's thread, or on
    /// any thread before the host runs.
    ///
    /// All promises of `LoopScheduler` hold, except that the host decides when the guest runs:
    ///
    /// - `run`, `runUntilIdle` and `runOnce` throw `runByHost`, and `stop()` does nothing.
    /// - Call `watch` and `onSignal` on the host's thread, also between the guest's turns. On other threads they throw
    ///   `wrongThread`.
    /// - The host retains the guest until the guest is disposed, so releasing the result does not dispose it.
    /// - `dispose()` takes effect at once on the host's thread, in a turn after the current callback. On another
    ///   thread, and before the host has first run, the host disposes the guest as soon as it runs.
    ///
    /// - Parameters:
    ///   - host: The loop that runs the guest.
    ///   - name: The name in messages.
    ///   - servesMainQueue: Whether the guest's turns serve `DispatchQueue.main`, and with it `@MainActor`. It is for a
    ///     host that owns the main thread and does not serve that queue. If the host then runs the guest on another
    ///     thread, the first turn that serves the queue traps.
    /// - Throws: `systemCall` if the system has no descriptor or memory left, and the errors of the host's `attach`.
    ///   Nothing remains of the guest then.
    public convenience init(
        attachedTo host: some LoopHost,
        name: String,
        servesMainQueue: Bool = false
    ) throws(LoopError) {
        // Only the address is kept: the loop itself never uses what it points to.
        let address = unsafe UInt(bitPattern: host.nativeHandle)
        try self.init(of: .host, name: name, clock: MonotonicClock(), hostAddress: address)
        try core.attach(to: host, servesMainQueue: servesMainQueue) { [self] in turnForHost() }
    }

    /// Whether nothing keeps the loop alive, and the number of callbacks so far. For tests that drive a host.
    package func progress() throws(LoopError) -> (isIdle: Bool, callbacks: UInt64) {
        try core.withState("progress") { state in
            let isIdle = state.aliveCount == 0 && !state.hasWork && core.inbox.withLock { inbox in inbox.isEmpty }
            return (isIdle, state.callbacks)
        }
    }

    /// Takes one turn. The host calls it.
    func turnForHost() {
        do {
            try core.turnAsGuest()
        } catch {
            switch error.code {
            // The host has been detached, but its library had already queued this call.
            case .disposed: return
            // This is a forked child, and the loop belongs to the parent.
            case .forked: return
            // The loop of the main thread is in its own run, or the host runs its loop inside a callback of this one.
            // The present turn continues.
            case .alreadyRunning where thread == .main || core.isHeldHere: return
            case .alreadyRunning:
                preconditionFailure(
                    "loop \(name): its host runs it on two threads at once; a host must call one turn at a time"
                )
            default: preconditionFailure("loop \(name) cannot continue on its host: \(error)")
            }
        }
    }
}
