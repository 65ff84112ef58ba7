// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// A guest and the host that runs it, as one loop, so that the checks for loops can also check a guest.
///
/// `run` and its variants run iterations of the host loop. All other operations belong to the guest. If the loop owns
/// its thread, that thread runs the host loop to its end.
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
        /// The thread that takes the guest down, if the loop owns its thread. It may be a thread of the host.
        var lastThread: UInt?
    }

    /// `host` must be the host of `guest`.
    package init(_ guest: any DrivenGuest, on host: any DrivenHost, isOwned: Bool) {
        self.guest = guest
        self.host = host
        self.isOwned = isOwned
        guard isOwned else { return }
        _ = guest.onDispose { [weak self] in
            self?.state.withLock { state in state.lastThread = SystemThread.currentIdentifier }
        }
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

    /// Ends the host's run after its current iteration.
    package func stop() {
        if isOwned { return }
        state.withLock { state in state.isStopRequested = true }
        guest.execute {}
    }

    package func dispose() {
        if isOwned {
            guest.dispose()
            // From inside, waiting would deadlock. In a forked child the thread does not exist.
            let isLast = state.withLock { state in state.lastThread == SystemThread.currentIdentifier }
            if guest.isCurrent || isLast || forkGeneration != ForkGeneration.current { return }
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
        // A guest's own run always throws: because it is disposed, belongs to another process, or is run by its host.
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

    /// After the guest's disposal: runs the host loop once, which removes the rest of the guest, then frees the host
    /// loop.
    private func closeHost() {
        // In a forked child the host loop belongs to the parent.
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
