package import ReactiveCore
import ReactiveSupport

/// A guest and a host that runs it, as one loop: what runs is the host's loop. So a guest can be checked by whatever checks loops.
///
/// `run` and its like say how often the host's loop goes round; all else is the guest's. One that owns its thread has a thread
/// that runs the host's loop to its end.
package final class HostedLoop: Sendable {
    package let guest: any DrivenGuest
    private let host: any DrivenHost
    private let isOwned: Bool
    private let thread = Lock<SystemThread?>(nil)
    private let state = Lock(State())
    private let forkGeneration = ForkGeneration.current

    private struct State {
        var isRunning = false
        var isStopRequested = false
        var isClosed = false
    }

    /// `host` is `guest`'s.
    package init(_ guest: any DrivenGuest, on host: any DrivenHost, isOwned: Bool) {
        self.guest = guest
        self.host = host
        self.isOwned = isOwned
        guard isOwned else { return }
        thread.withLock { thread in
            thread = SystemThread.orTrap(name: guest.name) {
                host.runToEnd()
                host.close()
            }
        }
    }

    deinit { dispose() }

    package func run() throws(LoopError) {
        try drive { () throws(LoopError) in while !takeStop(), !guest.isDisposed { host.runOnce(waiting: true) } }
    }

    package func runUntilIdle() throws(LoopError) {
        try drive { () throws(LoopError) in
            while !guest.isDisposed, !(try guest.progress().isIdle) {
                host.runOnce(waiting: true)
                if takeStop() { return }
            }
        }
    }

    package func runOnce(waiting: Bool) throws(LoopError) {
        try drive { () throws(LoopError) in
            if !waiting { return host.runOnce(waiting: false) }
            let before = try guest.progress().callbacks
            repeat {
                host.runOnce(waiting: true)
                if takeStop() || guest.isDisposed { return }
            } while try guest.progress().callbacks == before
        }
    }

    /// Ends the host's run, which notices when it has gone round.
    package func stop() {
        if isOwned { return }
        state.withLock { state in state.isStopRequested = true }
        guest.execute {}
    }

    package func dispose() {
        if isOwned {
            guest.dispose()
            // From inside there is nobody to wait for, and in a forked child there is no such thread.
            if guest.isCurrent || forkGeneration != ForkGeneration.current { return }
            thread.withLock { thread in thread }?.join()
            return
        }
        // An object that the guest releases may call this too.
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guest.dispose()
        guard isFirst else { return }
        state.withLock { state in state.isRunning = false }
        closeHost()
    }

    private func takeStop() -> Bool {
        state.withLock { state in
            defer { state.isStopRequested = false }
            return state.isStopRequested
        }
    }

    private func drive(_ body: () throws(LoopError) -> Void) throws(LoopError) {
        // A guest's own run always throws: that it is over, or of another process, or that its host runs it.
        do { try guest.run() } catch { if error.code != .runByHost || isOwned { throw error } }
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if !isFirst { throw LoopError(.alreadyRunning, "\(name): its host runs already") }
        defer {
            state.withLock { state in state.isRunning = false }
            if guest.isDisposed { closeHost() }
        }
        try body()
    }

    /// Once the guest is disposed: what is left of it goes when the host's loop has gone round, then the host's loop itself.
    private func closeHost() {
        // In a forked child the host's loop is the parent's.
        do { try guest.run() } catch { if error.code == .forked { return } }
        let isMine = state.withLock { state in
            if state.isRunning || state.isClosed { return false }
            state.isClosed = true
            return true
        }
        guard isMine else { return }
        host.runToEnd()
        host.close()
    }
}
