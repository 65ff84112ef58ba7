// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport
import Synchronization

extension PollerLoop where Back: ~Copyable {
    /// Creates a loop of a simulated host. The simulation runs its turns, or a simulated thread runs the loop.
    ///
    /// - Parameters:
    ///   - name: The name in messages.
    ///   - thread: `.caller`, or `.owned` for a loop with a simulated thread.
    ///   - clock: The host's clock.
    ///   - system: The host's system calls.
    /// - Throws: `systemCall` if the host has no descriptor left.
    package convenience init(
        simulated name: String,
        thread: LoopThread = .caller,
        clock: any LoopClock,
        system: any EventSystem
    ) throws(LoopError) {
        try self.init(of: thread, name: name, clock: clock, system: system)
    }

    /// Creates a guest of another loop of a simulated host.
    ///
    /// - Parameters:
    ///   - host: The loop that runs the guest.
    ///   - isMain: Whether the loop is that of the process's main thread, so that code may also call its `run`.
    /// - Throws: `systemCall` if the host has no descriptor left, and the errors of the host's `attach`.
    package convenience init(
        simulatedGuest name: String,
        of host: some LoopHost,
        isMain: Bool = false,
        clock: any LoopClock,
        system: any EventSystem
    ) throws(LoopError) {
        try self.init(of: isMain ? .main : .host, name: name, clock: clock, system: system)
        try core.attach(to: host) { [self] in turnForHost() }
    }

    /// Takes one turn that does not wait, and announces the next wait.
    ///
    /// A post after this call signals the loop's wake-up descriptor, as during a wait.
    ///
    /// - Returns: The deadline of the next turn, unless a descriptor becomes ready earlier. nil if the loop has been
    ///   stopped or disposed.
    /// - Throws: `systemCall` if the poller fails; `alreadyRunning` inside a turn of this loop.
    package func simulatedTurn() throws(LoopError) -> PollDeadline? {
        try core.simulatedTurn()
    }

    /// Disposes the loop of a process that has ended. Unlike after `dispose()`, tasks on the loop never continue.
    package func disposeWithProcess() {
        core.afterDisposal.end()
        dispose()
    }
}

extension LoopCore {
    fileprivate func simulatedTurn() throws(LoopError) -> PollDeadline? {
        do throws(LoopError) {
            try begin("turn")
        } catch {
            // Other code has disposed the loop between two turns.
            if error.code == .disposed { return nil }
            throw error
        }
        defer { end() }
        // A stop or a disposal between turns ends the run, as it ends a wait.
        if takeEndRequest() != .none { return nil }
        let state = state.value
        try turn(state, waiting: .no)
        if takeStop() { return nil }
        return announceWait(state, waiting: .always)
    }
}
