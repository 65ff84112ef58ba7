// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// One turn: runs work, calls watches, fires timers.
extension LoopCore {
    /// The maximum number of jobs in one turn, so that descriptors and timers are served too (rules S6–S10).
    private static let workPerTurn = 4096

    /// Whether a turn may wait for descriptors and timers. The turn evaluates it after running the queued work: that
    /// work may be the callback for which `runOnce(waiting: true)` waits.
    enum Waiting {
        case no, always, whileAlive
        /// The turn may wait until a callback has run. The value is the number of callbacks before the run.
        case untilCallback(UInt64)

        func isAllowed(_ state: LoopState) -> Bool {
            switch self {
            case .no: false
            case .always: true
            case .whileAlive: state.aliveCount > 0
            case .untilCallback(let before): state.callbacks == before
            }
        }
    }

    func turn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        try oneTurn(state, waiting: waiting)
        if isForked { throw error(.forked, "run") }
    }

    @inline(__always)
    private func oneTurn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        state.turn += 1
        if state.mustNarrow { state.retryNarrowing() }
        takeFromInbox(state)
        let firstNewTimer = state.nextTimer
        if state.hasWork {
            mark.run { runWork(state) }
            // A stop in this turn keeps the remaining work (R2). A stop from before the run does not end the turn here:
            // `run` has already cleared it (R4).
            if mustStop { return }
        }
        if try !spin(state, waiting) {
            let deadline = announceWait(state, waiting: waiting)
            defer { wakeup.isAwaited = false }
            try wait(state, until: deadline)
        }
        if !state.batch.isEmpty {
            // A stop that ended the wait takes precedence over descriptors that became ready (rule R2).
            if !mustStop { mark.run { dispatch(state) } }
            state.batch.removeAll()
            if mustStop { return }
        }
        if !state.timers.isEmpty { mark.run { fireTimers(state, before: firstNewTimer) } }
    }

    /// Busy-polls before the wait if the loop has a spin limit.
    ///
    /// Returns true if no wait is needed: descriptors are ready and in the batch, or a timer is due. Returns false if
    /// the caller must wait. If work has arrived by then, that wait returns immediately.
    @inline(__always)
    private func spin(_ state: LoopState, _ waiting: Waiting) throws(LoopError) -> Bool {
        let limit = spinLimit.load(ordering: .relaxed)
        if limit == 0 || state.hasWork || !waiting.isAllowed(state) { return false }
        return try spin(state, waiting, for: limit)
    }

    @inline(never)
    private func spin(_ state: LoopState, _ waiting: Waiting, for limit: Int64) throws(LoopError) -> Bool {
        let begin = clock.now
        // A C callback inside of a poll may end what the turn waits for.
        while !mustStop, waiting.isAllowed(state), inbox.withLock({ inbox in inbox.isEmpty }) {
            try wait(state, until: .now)
            if !state.batch.isEmpty { return true }
            let now = clock.now
            if let first = state.timers.nextDeadline, first <= now { return true }
            if now.nanoseconds - begin.nanoseconds >= limit { return false }
        }
        return false
    }

    /// Waits in the poller. Inside the wait, the C library may run callbacks of its own handles. These callbacks count
    /// as the loop's work, so the loop is the current scheduler.
    private func wait(_ state: LoopState, until deadline: PollDeadline) throws(LoopError) {
        phase.beginWait()
        defer { phase.endWait() }
        try mark.run { () throws(LoopError) in
            try state.poller.wait(until: deadline) { token, readiness in
                switch token {
                case Token.wake: wakeup.descriptor.clear()
                case Token.pollTimer: break  // It only ends the wait. In the batch it would end busy-polling, too.
                default: state.collect(token, readiness)
                }
            }
        }
    }

    func takeFromInbox(_ state: LoopState) {
        // Work that remains from an earlier turn precedes work that was posted since.
        inbox.withLock { inbox in inbox.move(to: state.work, timerChanges: &state.timerChanges) }
        guard !state.timerChanges.isEmpty else { return }
        // Marked as the loop's work, because the release of a disposed timer may run a `deinit` that reads the current
        // scheduler.
        mark.run { takeTimerChanges(state) }
    }

    private func takeTimerChanges(_ state: LoopState) {
        for change in state.timerChanges {
            switch change {
            case .insert(let entry): if entry.receive() { state.insert(entry) }
            case .remove(let entry): state.remove(entry)
            }
        }
        state.timerChanges.removeAll(keepingCapacity: state.timerChanges.count <= Self.workPerTurn)
    }

    private func runWork(_ state: LoopState) {
        let queue = state.work
        var left = Self.workPerTurn
        // A `deinit` that ran in `takeTimerChanges` may have disposed the loop (rule D4).
        if mustStop { return }
        while left > 0, let item = queue.popFirst() {
            left -= 1
            state.callbacks += 1
            switch consume item {
            case .closure(let work):
                work()
            case .scheduled(let scheduled): scheduled.run()
            case .job(let job): identity.run(job)
            }
            if mustStop { return }
        }
    }

    /// Announces a wait, and returns its deadline. Returns `.now` if the loop must not wait.
    ///
    /// The method sets `wakeup.isAwaited` under the inbox's lock, so that no post is missed (rule X2). The caller
    /// clears the flag after the wait. On a guest the flag stays set between turns, because the host waits then.
    func announceWait(_ state: LoopState, waiting: Waiting) -> PollDeadline {
        if !waiting.isAllowed(state) || state.hasWork { return .now }
        if mustStop { return .now }
        let mustNotWait = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            wakeup.isAwaited = true
            return false
        }
        // A stop between the check of `mustStop` and the setting of the flag has woken nothing, so check again.
        if mustNotWait { return .now }
        if endRequest.load(ordering: .sequentiallyConsistent) != .none { return .now }
        guard let first = state.timers.nextDeadline else { return .never }
        return .at(first)
    }
}

/// Calls the watches of ready descriptors.
extension LoopCore {
    func dispatch(_ state: LoopState) {
        let count = state.batch.count
        for index in 0..<count {
            let (token, reported) = (state.batch[index].token, state.batch[index].readiness)
            // Safe: the table retains the watch until `callee` has returned, because `callee` calls no user code.
            if let watch = unsafe state.table.onlyWatch(of: token) {
                var readiness = reported
                let target = unsafe watch._withUnsafeGuaranteedRef { watch in callee(watch, &readiness, state) }
                call(target, readiness, state)
            } else if token == Token.mainQueue {
                serveMainQueue(state)
            } else if token == Token.hostTimer {
                // The main queue (host) needs this timer only between the loop's own runs. While it is readable, every
                // wait would return at once.
                if thread == .main { state.hostTimer?.disarm() }
            } else {
                for watch in state.table.watches(of: token) where !mustStop {
                    var readiness = reported
                    call(callee(watch, &readiness, state), readiness, state)
                }
            }
            if mustStop { return }
        }
    }

    /// The callee of a watch, or `nobody` if the watch must not be called. Reduces `readiness` to the watch's interest.
    @inline(__always)
    private func callee(
        _ watch: WatchEntry,
        _ readiness: inout Readiness,
        _ state: LoopState
    ) -> WatchEntry.Callee {
        readiness.formIntersection(watch.wanted)
        let isNew = watch.isNew(in: state.turn)
        let isOver = watch.isDisposed
        if readiness.isEmpty || isNew || isOver { return .none }
        return watch.callee
    }

    @inline(__always)
    private func call(_ callee: WatchEntry.Callee, _ readiness: Readiness, _ state: LoopState) {
        switch callee {
        case .none: return
        case .closure(let ready):
            state.callbacks += 1
            ready(readiness)
        case .owner(let owner):
            state.callbacks += 1
            owner.descriptorBecameReady(for: readiness)
        }
    }

    private func serveMainQueue(_ state: LoopState) {
        state.callbacks += 1
        require(
            thread != .host || ThreadIdentity.isMain,
            "loop \(name) serves the main queue, so its host must run it on the main thread"
        )
        CurrentScheduler.runWithout { MainQueue.drain() }
    }
}

/// Fires due timers at the end of a turn.
extension LoopCore {
    func fireTimers(_ state: LoopState, before firstNewTimer: UInt64) {
        let now = clock.now
        defer { if !state.fired.isEmpty { rearmFired(state) } }
        var waiting: [(TimerEntry, UInt64)] = []
        while !mustStop, let timer = state.timers.popFirstDue(at: now) {
            // A timer that was scheduled in this turn waits for the next turn (rules S12, T15).
            let sequence = timer.sequence
            if sequence >= firstNewTimer {
                waiting.append((timer.take(), sequence))
                continue
            }
            fire(timer, state)
        }
        for (entry, sequence) in waiting where !entry.isDisposed { state.timers.insert(entry, sequence: sequence) }
    }

    @inline(__always)
    func fire(_ timer: consuming DueTimer, _ state: LoopState) {
        if timer.look({ $0.isRepeating }) { return fireAgain(timer, state) }
        let entry = timer.take()
        guard let work = entry.takeWork() else { return }
        state.callbacks += 1
        state.recount(entry)
        work()
    }

    @inline(__always)
    private func fireAgain(_ timer: consuming DueTimer, _ state: LoopState) {
        guard timer.lookAtRepeating({ $0.fire { state.callbacks += 1 } }) else { return }
        // Among timers with the same deadline, this one fires after those that have been scheduled by now (rule T6).
        let sequence = state.nextTimer
        state.nextTimer += 1
        if timer.lookAtRepeating({ $0.countsFromEnd }) {
            timer.lookAtRepeating { $0.deadline = $0.next(now: clock.now) }
            state.timers.insert(timer, sequence: sequence)
        } else {
            state.fired.append(timer, sequence: sequence)
        }
    }

    /// Re-arms the fixed-rate timers, after all due timers have fired. It reads the clock once for all of them, because
    /// one reading for each timer would cost more than the rest. The next firing of a timer also replaces the firings
    /// that the timer missed while other timers ran.
    private func rearmFired(_ state: LoopState) {
        let now = clock.now
        state.fired.drain { timer in
            let isOver = timer.lookAtRepeating { timer in
                // Another timer's work may have disposed it.
                if timer.isDisposed { return true }
                timer.deadline = timer.next(now: now)
                return false
            }
            if isOver {
                _ = timer.take().takeRemains()
                return
            }
            let sequence = timer.sequence
            state.timers.insert(timer, sequence: sequence)
        }
    }
}

/// Schedules and unschedules timers.
///
/// Scheduling a timer only inserts it into the queue. Before the next wait, `announceWait` returns the earliest
/// deadline, and the poller arms its timerfd with this deadline. If the loop has a host, `leaveToHost` arms the host's
/// timerfd instead.
extension LoopCore {
    func schedule(
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        if isForked { return DisposedHandle.shared }
        let entry = TimerEntry.make(self, at: deadline, repeating: repetition, options: options, work)
        if isRunningHere {
            let state = state.value
            state.insert(entry)
            wakeIfInsideWait(state)
            return entry
        }
        if hosting.takesOverBetweenRuns {
            let isInserted = insertBetweenRuns(entry)
            if isInserted { return entry }
        }
        entry.willPost()
        if inbox.withLock({ inbox in inbox.post(.insert(entry)) }) {
            wakeIfWaiting()
        } else {
            entry.end(wasTaken: false)
        }
        return entry
    }

    /// Inserts a timer directly into the queue if the main queue runs the loop between its own runs, and the loop does
    /// not run now. A post would wake the loop, and the next run would count that wake-up as a callback (rule R8).
    /// After the insertion, `leaveToYieldingHost` arms the host's timerfd.
    ///
    /// - Returns: Whether the timer has been inserted. If not, the caller posts it to the inbox.
    @inline(never)
    private func insertBetweenRuns(_ entry: TimerEntry) -> Bool {
        guard runningThread.load(ordering: .relaxed) == 0, !isDisposed, !isHeldHere else { return false }
        let isQueued = try? withState("schedule") { state in
            // Timers in the inbox were scheduled earlier, and must be inserted first.
            guard inbox.withLock({ inbox in inbox.timerChanges.isEmpty }) else { return false }
            state.insert(entry)
            return true
        }
        return isQueued ?? false
    }

    func unschedule(_ entry: TimerEntry) {
        if isForked { return }
        if isRunningHere {
            let state = state.value
            state.remove(entry)
            wakeIfInsideWait(state)
            return
        }
        // If the loop does not run, this thread borrows the state. Otherwise the loop removes the entry.
        if (try? withState("dispose", { state in state.remove(entry) })) != nil { return }
        if inbox.withLock({ inbox in inbox.post(.remove(entry)) }) { wakeIfWaiting() }
    }

    /// Counts a timer that was disposed while it was in the inbox. The loop ignores it when it empties the inbox.
    func didCancelPostedTimer() {
        if isForked { return }
        let released = inbox.withLock { inbox in inbox.didCancelTimer() }
        _ = consume released
    }
}

extension LoopCore {
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ callee: WatchEntry.Callee
    ) throws(LoopError) -> WatchEntry {
        if isDisposed { throw error(.disposed, "watch") }
        return try withPoller("watch") { (state) throws(LoopError) in
            let entry = WatchEntry(self, descriptor, interest, turn: state.turn, callee)
            try state.add(entry)
            return entry
        }
    }

    func unwatch(_ watch: WatchEntry) {
        if (try? withPoller("dispose", { state in state.remove(watch) })) != nil { return }
        // If the caller is on another thread, or inside the poller's wait, a later job of the loop removes the watch.
        // Until then `dispatch` finds it disposed and does not call it (rule D2).
        execute { [self] in state.value.remove(watch) }
    }

    func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> SignalListener {
        if isDisposed { throw error(.disposed, "onSignal") }
        return try withPoller("onSignal") { (state) throws(LoopError) in
            let listener = try SignalListener(self, signal, handler)
            state.listeners[ObjectIdentifier(listener)] = listener
            return listener
        }
    }

    /// Removes a disposed listener. It has no effect on a disposed loop, which has already closed its listeners.
    func release(_ listener: SignalListener) {
        let close: @Sendable (LoopState) -> Void = { state in
            guard state.listeners.removeValue(forKey: ObjectIdentifier(listener)) != nil else { return }
            state.remove(listener.watch)
            listener.close()
        }
        if (try? withPoller("dispose", { state in close(state) })) != nil { return }
        execute { [self] in close(state.value) }
    }

    /// The C library's loop. It is `nil` if there is none, and after disposal.
    var nativeHandle: UnsafeMutableRawPointer? {
        // The documentation of `PollerLoop` says that only the loop's thread may use it.
        unsafe isDisposed ? nil : UnsafeMutableRawPointer(bitPattern: nativeAddress)
    }
}
