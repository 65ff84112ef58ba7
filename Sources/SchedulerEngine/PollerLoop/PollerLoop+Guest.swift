public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Attaches a loop to a host loop, which owns the thread and runs it.
    ///
    /// `LibuvLoop(attachedTo:)`, `LibeventLoop(attachedTo:)` and `DispatchLoop(attachedTo:)` call this with their hosts. For any
    /// other library, write a ``LoopHost`` and use `EpollLoop(attachedTo:name:)`. The guest waits with an epoll set, whatever
    /// `Back` is, and the host watches that set. Make it on the host's thread, or on any thread before the host runs.
    ///
    /// Everything that ``LoopScheduler`` promises holds, but for what the host decides: when it runs. `run` and its like throw
    /// `runByHost`, `stop()` does nothing. `watch` and its like belong on the host's thread, also outside of our turns, and throw
    /// `wrongThread` elsewhere. The host holds the guest until it is disposed, and nothing is left with the host after that. `dispose()`
    /// takes the guest down at once on the host's thread; from any other, and before the host has first run, the host does it as
    /// soon as it runs.
    ///
    /// - Parameters:
    ///   - host: the loop that runs it.
    ///   - name: the name in messages.
    ///   - servesMainQueue: whether `DispatchQueue.main`, and with it `@MainActor`, is served in its turns. For a host that owns the
    ///     main thread, where nobody else serves that queue; a turn on any other thread traps.
    /// - Throws: `systemCall` where the system has no more to give, and what the host's `attach` throws.
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

    /// Whether nothing is left that keeps the loop alive, and how many callbacks have run: what a test that drives a host goes by.
    package func progress() throws(LoopError) -> (isIdle: Bool, callbacks: UInt64) {
        try core.withState("progress") { state in
            let isIdle = state.aliveCount == 0 && !state.hasWork && core.inbox.withLock { inbox in inbox.isEmpty }
            return (isIdle, state.callbacks)
        }
    }

    /// One turn, when the host says so.
    func turnForHost() {
        do {
            try core.turnAsGuest()
        } catch {
            switch error.code {
            // The host has been told, and its library had this call on its way already.
            case .disposed: return
            // A child of the host's process: the loop is its parent's.
            case .forked: return
            // The main thread's loop under its own run, or a host that runs its loop inside one of our callbacks: that turn goes on.
            case .alreadyRunning where thread == .main || core.isHeldHere: return
            case .alreadyRunning:
                preconditionFailure(
                    "loop \(name): its host runs it on two threads at once; a host is one thread at a time"
                )
            default: preconditionFailure("loop \(name) broke down: \(error)")
            }
        }
    }
}
