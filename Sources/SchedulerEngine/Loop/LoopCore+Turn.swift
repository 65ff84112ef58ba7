import ReactiveCore
import ReactiveSupport
import Synchronization

extension LoopCore {
    /// At most this many pieces of work run before descriptors and timers get their turn (rules S6–S10).
    private static let workPerTurn = 4096

    enum RunMode { case untilStopped, untilIdle, once(waiting: Bool) }

    func run(_ mode: RunMode, _ operation: String, onOwnedThread: Bool = false) throws(LoopError) {
        if isForked { throw error(.forked, operation) }
        if thread == .main, !ThreadIdentity.isMain { throw error(.notMainThread, operation) }
        if thread == .owned, !onOwnedThread { throw error(isDisposed ? .disposed : .alreadyRunning, operation) }
        try begin(operation)
        defer { endRun() }
        try beginServingMainQueue()
        // Disposed before its thread had begun: there is nothing left to run.
        if isDisposed { return }
        let state = state.value
        // Sticky: a stop from before the run is one turn that does not wait (rule R4).
        if isStopRequested.exchange(false, ordering: .acquiringAndReleasing), !fault(.earlyStopForgotten) {
            defer { isStopRequested.store(fault(.earlyStopStays), ordering: .releasing) }
            return try turn(state, waiting: .no)
        }
        switch mode {
        case .untilStopped:
            repeat { try turn(state, waiting: .always) } while !takeStop()
        case .untilIdle:
            while !isIdle(state) {
                try turn(state, waiting: .whileAlive)
                if takeStop() { return }
            }
        case .once(waiting: false):
            try turn(state, waiting: fault(.pollingRunWaits) ? .always : .no)
            _ = takeStop()
        case .once(waiting: true):
            // A wake-up alone is no progress: what it brought runs in the turn after it (rule R8).
            let before = state.callbacks
            repeat {
                try turn(state, waiting: .untilCallback(before))
            } while !takeStop() && state.callbacks == before && !fault(.wakeEndsWaitingRun)
        }
    }

    /// One turn for a host that has called because something may be ready, and when to call next.
    func turnAsGuest() throws(LoopError) -> PollDeadline {
        if isForked { throw error(.forked, "turn") }
        try begin("turn")
        defer { endGuestTurn() }
        // There is no run that a stop could end: it ends the turn, and is used up. Kept, it would make the host spin.
        _ = takeStop()
        try turn(state.value, waiting: .no)
        _ = takeStop()
        return nextDeadline(state.value, waiting: .always)
    }

    private func begin(_ operation: String) throws(LoopError) {
        let current = ThreadIdentity.current
        while true {
            switch lifecycle.withLock({ lifecycle in lifecycle.beginRun(on: current) }) {
            case .granted:
                runningThread.store(current, ordering: .relaxed)
                isWaiting.store(false, ordering: .sequentiallyConsistent)
                return
            case .tryAgain, .alreadyHeld: ThreadIdentity.yield()
            case .refused(let code): throw error(code, operation)
            }
        }
    }

    private func endRun() {
        endServingMainQueue()
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        runningThread.store(0, ordering: .relaxed)
        endHolding()
        host.withLock { host in host }?.runDidEnd()
    }

    // The flag that the turn's end has put up stays: the host waits, and a post has to wake it.
    private func endGuestTurn() {
        runningThread.store(0, ordering: .relaxed)
        endHolding()
    }

    // MARK: The main queue

    private func beginServingMainQueue() throws(LoopError) {
        guard thread == .main || fault(.everyLoopServesMainQueue), !fault(.mainQueueUnserved) else { return }
        host.withLock { host in host }?.runWillBegin()
        let state = state.value
        guard !state.isServingMainQueue, let handle = MainQueue.descriptor else { return }
        try state.poller.register(handle, .read, token: Token.mainQueue)
        state.isServingMainQueue = true
    }

    // While a host serves the main queue its handle must not wake us too.
    private func endServingMainQueue() {
        let state = state.value
        guard state.isServingMainQueue, host.withLock({ host in host != nil }), let handle = MainQueue.descriptor
        else { return }
        state.poller.deregister(handle)
        state.isServingMainQueue = false
    }

    private func takeStop() -> Bool {
        isStopRequested.load(ordering: .acquiring)
            && isStopRequested.exchange(false, ordering: .acquiringAndReleasing)
    }

    private var mustStop: Bool { isStopRequested.load(ordering: .relaxed) }

    private func isIdle(_ state: LoopState) -> Bool {
        if state.hasWork { return false }
        takeFromInbox(state)
        if fault(.idleTooEarly) { return !state.hasWork }
        return !state.hasWork && state.aliveCount == 0
    }

    // MARK: One turn: work, descriptors, timers

    /// Whether a turn waits for descriptors and timers once its work is done. It is asked after the work: that may have been
    /// the last there was, or all that the caller wanted.
    private enum Waiting {
        case no, always, whileAlive
        /// Until a callback has run, where so many had before.
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

    private func turn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        state.turn += 1
        if !fault(.postsUnseen) { takeFromInbox(state) }
        remember(.timersCountFromTurn, clock.now.nanoseconds)
        let firstNewTimer = fault(.timerInSameTurn) || fault(.timersUntilNoneIsDue) ? .max : state.nextTimer
        if fault(.timersFirst) { mark.run { fireTimers(state, before: firstNewTimer) } }
        if state.hasWork {
            mark.run { runWork(state) }
            while fault(.workInSameTurn), !mustStop, takesMore(state) { mark.run { runWork(state) } }
            if fault(.stopDropsWork), mustStop { state.dropAllWork() }
            // Rule R2: what is left is kept. Rule R4: in the one turn after an early stop the flag is not yet set.
            if mustStop, !fault(.stoppedTurnWaits) { return }
        }
        if fault(.descriptorsOnlyWhenIdle), state.hasWork || takesMore(state) {
            return mark.run { fireTimers(state, before: firstNewTimer) }
        }
        let deadline = nextDeadline(state, waiting: waiting)
        defer { isWaiting.store(false, ordering: .sequentiallyConsistent) }
        try wait(state, until: deadline)
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        if fault(.postsUnseen) { takeFromInbox(state) }
        if fault(.timersBeforeDescriptors) { mark.run { fireTimers(state, before: firstNewTimer) } }
        if !state.batch.isEmpty {
            // A stop that has ended the wait comes before what was ready by then (rule R2).
            if !mustStop { mark.run { dispatch(state) } }
            state.batch.removeAll(keepingCapacity: true)
            if mustStop, !fault(.stopEndsBatchLate) { return }
        }
        if fault(.pollingRunFiresNothing), case .no = waiting { return }
        if fault(.timersOnlyWhenIdle), state.hasWork || takesMore(state) { return }
        if fault(.timersWithoutCurrent) { return fireTimers(state, before: firstNewTimer) }
        if !state.timers.isEmpty { mark.run { fireTimers(state, before: firstNewTimer) } }
    }

    /// What runs inside the wait are callbacks of C code on the library's own loop: the loop's work like any other.
    private func wait(_ state: LoopState, until deadline: PollDeadline) throws(LoopError) {
        state.isPolling = true
        defer { state.isPolling = false }
        try mark.run { () throws(LoopError) in
            try state.poller.wait(until: deadline) { token, readiness in
                if token != Token.wake { state.collect(token, readiness) } else if !fault(.wakeNotRead) { wake.clear() }
            }
        }
    }

    func takeFromInbox(_ state: LoopState) {
        if state.hasWork {
            // Left from a stop or from more work than fits a turn: what came since goes behind it.
            state.dropWhatHasRun()
            var more: [Inbox.Work] = []
            inbox.withLock { inbox in inbox.exchange(work: &more, timerChanges: &state.timerChanges) }
            state.work.append(contentsOf: more)
        } else {
            state.work.removeAll(keepingCapacity: state.work.count <= Self.workPerTurn)
            state.workHead = 0
            inbox.withLock { inbox in inbox.exchange(work: &state.work, timerChanges: &state.timerChanges) }
            if fault(.workBackwards) { state.work.reverse() }
        }
        guard !state.timerChanges.isEmpty else { return }
        for change in state.timerChanges {
            switch change {
            case .arm(let entry): state.arm(entry)
            case .disarm(let entry): state.disarm(entry)
            }
        }
        state.timerChanges.removeAll(keepingCapacity: state.timerChanges.count <= Self.workPerTurn)
    }

    private func runWork(_ state: LoopState) {
        let end = min(state.work.count, state.workHead + Self.workPerTurn)
        while state.workHead < end {
            var piece = Inbox.Work.taken
            swap(&piece, &state.work[state.workHead])
            state.workHead += 1
            state.callbacks += 1
            switch consume piece {
            case .closure(let work):
                work()
                if fault(.workTwice) { work() }
                leak(.workKept, work)
            case .scheduled(let scheduled): scheduled.run()
            case .job(let job): identity.run(job)
            case .taken: break
            }
            if mustStop, !fault(.stopAfterAllWork) { return }
        }
    }

    /// When to stop waiting. Before a wait the flag goes up under the inbox's lock, so that no post is missed (rule X2).
    private func nextDeadline(_ state: LoopState, waiting: Waiting) -> PollDeadline {
        if !waiting.isAllowed(state) || state.hasWork && !fault(.leftWorkWaits) { return .now }
        if mustStop && !fault(.stoppedTurnWaits) || fault(.waitSpins) { return .now }
        let mustNotWait = inbox.withLock { inbox in
            guard inbox.isEmpty || fault(.postsUnseen) else { return true }
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            return false
        }
        // A stop between the check above and the flag found nobody waiting and woke nobody.
        if mustNotWait { return .now }
        if isStopRequested.load(ordering: .sequentiallyConsistent), !fault(.stoppedTurnWaits) { return .now }
        guard let first = state.timers.nextDeadline else { return .never }
        if fault(.timersEarly) { return .at(first + .milliseconds(-5)) }
        if fault(.timersLate) { return .at(first + .milliseconds(100)) }
        return .at(first)
    }

    private func dispatch(_ state: LoopState) {
        for index in state.batch.indices {
            let (token, readiness) = state.batch[index]
            if let watch = state.table.onlyWatch(of: token) {
                call(watch, readiness, state)
            } else if token == Token.mainQueue {
                serveMainQueue(state)
            } else {
                for watch in state.table.watches(of: token) where !mustStop { call(watch, readiness, state) }
            }
            if mustStop, !fault(.stopEndsBatchLate) { return }
        }
    }

    @inline(__always)
    private func call(_ watch: WatchEntry, _ readiness: Readiness, _ state: LoopState) {
        let told = readiness.intersection(watch.wanted)
        let isNew = watch.madeInTurn == state.turn && !fault(.watchInSameTurn) && !fault(.staleEvents)
        let isOver = watch.isDisposed && !fault(.disposedWatchCalled)
        guard !told.isEmpty, !isNew, !isOver, let ready = watch.ready else { return }
        if fault(.unkeptUncalled), !watch.isCounted { return }
        state.callbacks += 1
        if fault(.watchOnOtherThread) { return SystemThread(name: "fault") { ready(told) }.join() }
        ready(told)
        if fault(.watchCalledTwice) { ready(told) }
    }

    private func serveMainQueue(_ state: LoopState) {
        state.callbacks += 1
        CurrentScheduler.runWithout { MainQueue.drain() }
    }

    private func fireTimers(_ state: LoopState, before firstNewTimer: UInt64) {
        let now = fault(.timersEarly) ? clock.now + .milliseconds(5) : clock.now
        if fault(.dueTimersTaken) { return fireTaken(state, now) }
        var waiting: [(TimerEntry, UInt64)] = []
        while !mustStop || fault(.stopEndsBatchLate),
            let (entry, sequence) = state.timers.popFirst(dueAt: fault(.timersUntilNoneIsDue) ? clock.now : now)
        {
            // Set in this turn: it waits for the next one (rules S12, T15).
            if sequence >= firstNewTimer {
                waiting.append((entry, sequence))
                continue
            }
            fire(entry, state)
        }
        for (entry, sequence) in waiting where !entry.isDisposed { state.timers.insert(entry, sequence: sequence) }
    }

    func fire(_ entry: TimerEntry, _ state: LoopState) {
        guard let work = entry.takeWork() else { return }
        state.callbacks += 1
        guard let repetition = entry.repetition else {
            state.recount(entry)
            return work()
        }
        work()
        if fault(.repeatsInSameTurn), repetition.next(after: entry.deadline, now: clock.now) <= clock.now { work() }
        if entry.isDisposed, !fault(.repeatGoesOn) { return entry.letGo() }
        let now = clock.now
        entry.deadline = repetition.next(after: entry.deadline, now: now)
        state.timers.insert(entry, sequence: state.nextTimer)
        state.nextTimer += 1
    }
}
