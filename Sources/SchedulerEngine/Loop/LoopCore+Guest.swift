// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// A guest: a loop whose turns are run by another loop, the host. A timerfd makes the loop's descriptor readable at the
/// next deadline.
extension LoopCore {
    /// Attaches the loop to `host`. Each call of `turn` by the host then runs one turn.
    func attach(
        to host: any LoopHost,
        servesMainQueue: Bool = false,
        turn: @escaping @Sendable () -> Void
    ) throws(LoopError) {
        guard let pollDescriptor else {
            throw LoopError(.badArgument, "cannot attach loop \(name) to a host: its poller has no descriptor to watch")
        }
        var isCalled = false
        try withPoller("attach") { (state) throws(LoopError) in
            let timer = try TimerDescriptor(on: system)
            try state.poller.register(timer.descriptor, .read, token: Token.hostTimer)
            state.hostTimer = consume timer
            if servesMainQueue, let handle = try MainQueue.descriptor() {
                try state.poller.register(handle, .read, token: Token.mainQueue)
                state.isServingMainQueue = true
            }
            if thread != .main { return }
            // Attach while this thread holds the state, so that no run can begin without notifying the host.
            try host.attach(pollDescriptor, turn: turn)
            hosting.attach(host, calls: .needed)
            isCalled = leaveToHost(state)
        }
        if thread == .main {
            if isCalled { callHost() }
            return
        }
        try host.attach(pollDescriptor, turn: turn)
        hosting.attach(host, calls: .none)
        // Work that was posted before the host was attached has woken nothing. The signal makes the host run a first
        // turn, which takes this work.
        wakeup.descriptor.signal()
    }

    /// Prepares for the host's wait: signals the wake-up descriptor if there is work now, otherwise arms the host's
    /// timer for the next deadline. A later post signals the wake-up descriptor. Returns whether the loop has something
    /// to do now.
    @discardableResult
    func leaveToHost(_ state: LoopState) -> Bool {
        switch announceWait(state, waiting: .always) {
        case .now:
            wakeup.descriptor.signal()
            return true
        case .never: state.hostTimer?.disarm()
        case .at(let instant): state.hostTimer?.arm(instant)
        }
        return false
    }

    /// Calls ``leaveToHost(_:)`` when a thread returns a borrowed state. Only a loop that the main queue runs between
    /// the loop's own runs needs it. If the loop has a timer or a watch, the main queue starts to watch the loop's
    /// descriptor.
    @inline(never)
    func leaveToYieldingHost(_ state: LoopState) {
        if isForked || isDisposed { return }
        leaveToHost(state)
        guard hosting.calls == .needed, isWaitedFor(state) else { return }
        if hosting.yielding?.begin() != false { hosting.hostWatches() }
    }

    private func isWaitedFor(_ state: LoopState) -> Bool { !state.timers.isEmpty || !state.table.isEmpty }

    /// What the main queue must do for the loop after a run.
    enum Remainder { case nothing, work, somethingToWaitFor }

    /// Prepares the loop for its host at the end of a run. If nothing is left, do not call the host: the queued
    /// main-queue block would end the wait of the next `runOnce(waiting: true)` (rule R8).
    func leaveAfterRun(_ state: LoopState) -> Remainder {
        disarmPoller(state)
        let isDue = leaveToHost(state)
        return isWaitedFor(state) ? .somethingToWaitFor : isDue ? .work : .nothing
    }

    /// Disarms the timerfd in the poller's set, which would make the poller's descriptor readable for the host. Only
    /// `wait(until: .never)` disarms it. The signalled wake-up descriptor makes this wait return immediately. Reports
    /// of the wait are ignored: registrations are level-triggered, so the next wait reports the descriptors again.
    private func disarmPoller(_ state: LoopState) {
        wakeup.descriptor.signal()
        try? state.poller.wait(until: .never) { _, _ in }
        wakeup.descriptor.clear()
    }

    /// Passes the remaining work to the host. Call it after `runDidEnd` and before the state is released, so that no
    /// other thread has changed the state since `leaveAfterRun` (rule M9).
    func handOver(_ left: Remainder, to host: any YieldingHost) {
        if left == .somethingToWaitFor, host.begin() { return hosting.hostWatches() }
        hosting.resume()
        // A post or stop since `leaveAfterRun` has cleared `wakeup.isAwaited` but did not call the host (state
        // `suspended`). Call the host now: later posts find the flag cleared and will not call it.
        if left == .work || !wakeup.isAwaited { callHost() }
    }

    /// Calls a host that may not watch the descriptor yet (rule M9).
    @inline(never)
    func callHost() {
        guard let host = hosting.yielding else { return }
        switch host.call() {
        case .watches: hosting.hostWatches()
        // The loop is in its own run, or that run is ending. The run sets `hosting`.
        case .isCalled, .standsBack: break
        }
    }

    /// Runs one turn. The host calls this when the descriptor is readable. If the loop then has more to do, the
    /// descriptor stays readable or becomes readable later.
    func turnAsGuest() throws(LoopError) {
        if isForked { throw error(.forked, "turn") }
        try permittingCapture { () throws(LoopError) in try guestTurn() }
    }

    private func guestTurn() throws(LoopError) {
        try begin("turn")
        hosting.beginTurn()
        // Does not clear `wakeup.isAwaited`, which `leaveToHost` sets: the host waits then, and a post must wake it.
        defer { end() }
        // A guest has no run that a stop could end. So a stop ends only the turn and is cleared; otherwise the host
        // would spin. If another thread has disposed the loop, `end` takes it down on the host's thread (rule D4).
        if takeEndRequest() == .disposal { return }
        let state = state.value
        try turn(state, waiting: .no)
        // If a callback of the turn has forked and this is the child, the descriptors belong to the parent.
        if isForked { return }
        _ = takeStop()
        // If work is left, the descriptor stays readable, and the host serves its own handles before the next turn.
        leaveToHost(state)
    }

    /// Whether the caller is on the thread or queue on which the host runs the loop. If the host's `isHere` is nil, the
    /// thread of the last turn counts, and before the first turn the thread that created the guest. Always true for a
    /// loop that is not a guest.
    var isWithHost: Bool { thread != .host || hosting.isHere ?? hosting.isMakerHere }

    /// Whether this thread may detach the loop from its host. Before the first turn no thread may, because the host may
    /// already run on another thread.
    var mayDetach: Bool { thread != .host || hosting.host == nil || hosting.isHere == true }
}
