import ReactiveCore
import ReactiveSupport
import Synchronization

extension LoopCore {
    /// At most this many pieces of work run before descriptors and timers get their turn (rules S6–S10).
    private static let workPerTurn = 4096

    enum RunMode { case untilStopped, untilIdle, once(waiting: Bool) }

    func run(_ mode: RunMode, _ operation: String, onOwnedThread: Bool = false) throws(LoopError) {
        if isForked { throw error(.forked, operation) }
        if thread == .host { throw error(isDisposed ? .disposed : .runByHost, operation) }
        if thread == .main, !ThreadIdentity.isMain { throw error(.notMainThread, operation) }
        if thread == .owned, !onOwnedThread { throw error(isDisposed ? .disposed : .alreadyRunning, operation) }
        try begin(operation)
        defer { endRun() }
        try beginServingMainQueue()
        // Disposed before its thread had begun: there is nothing left to run.
        if isDisposed { return }
        let state = state.value
        // Sticky: a stop from before the run is one turn that does not wait (rule R4).
        if isStopRequested.exchange(false, ordering: .acquiringAndReleasing) {
            // The stop may be a disposal's that came after the look above (rule D4).
            if isDisposed { return }
            defer { isStopRequested.store(false, ordering: .releasing) }
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
            try turn(state, waiting: .no)
            _ = takeStop()
        case .once(waiting: true):
            // A wake-up alone is no progress: what it brought runs in the turn after it (rule R8).
            let before = state.callbacks
            repeat {
                try turn(state, waiting: .untilCallback(before))
            } while !takeStop() && state.callbacks == before
        }
    }

    func begin(_ operation: String) throws(LoopError) {
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
        // In a child that the run has forked: the state and the host's side are the parent's.
        if isForked { return runningThread.store(0, ordering: .relaxed) }
        endServingMainQueue()
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        runningThread.store(0, ordering: .relaxed)
        guard let host = yieldingHost else { return endHolding() }
        let left = isDisposed ? .nothing : leaveAfterRun(state.value)
        // Before the state is released: the next holder then finds a host that takes over what it leaves.
        host.runDidEnd()
        handOver(left, to: host)
        endHolding()
    }

    // MARK: The main queue

    private func beginServingMainQueue() throws(LoopError) {
        guard thread == .main else { return }
        mayCallHost.store(false, ordering: .sequentiallyConsistent)
        yieldingHost?.runWillBegin()
        let state = state.value
        guard !state.isServingMainQueue, let handle = try MainQueue.descriptor() else { return }
        try state.poller.register(handle, .read, token: Token.mainQueue)
        state.isServingMainQueue = true
    }

    // While a host serves the main queue its handle must not wake us too.
    private func endServingMainQueue() {
        let state = state.value
        guard state.isServingMainQueue, host.withLock({ host in host != nil }),
            let handle = try? MainQueue.descriptor()
        else { return }
        state.poller.deregister(handle)
        state.isServingMainQueue = false
    }

    func takeStop() -> Bool {
        isStopRequested.load(ordering: .acquiring)
            && isStopRequested.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Also in a child that a callback has forked: the rest of the turn is the parent's.
    private var mustStop: Bool { isStopRequested.load(ordering: .relaxed) || isForked }

    private func isIdle(_ state: LoopState) -> Bool {
        if state.hasWork { return false }
        takeFromInbox(state)
        return !state.hasWork && state.aliveCount == 0
    }

    // MARK: One turn: work, descriptors, timers

    /// Whether a turn waits for descriptors and timers once its work is done. It is asked after the work: that may have been
    /// the last there was, or all that the caller wanted.
    enum Waiting {
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

    func turn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        try oneTurn(state, waiting: waiting)
        if isForked { throw error(.forked, "run") }
    }

    @inline(__always)
    private func oneTurn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        state.turn += 1
        takeFromInbox(state)
        let firstNewTimer = state.nextTimer
        if state.hasWork {
            mark.run { runWork(state) }
            // Rule R2: what is left is kept. Rule R4: in the one turn after an early stop the flag is not yet set.
            if mustStop { return }
        }
        if try !spin(state, waiting) {
            let deadline = nextDeadline(state, waiting: waiting)
            defer { isWaiting.store(false, ordering: .sequentiallyConsistent) }
            try wait(state, until: deadline)
        }
        if !state.batch.isEmpty {
            // A stop that has ended the wait comes before what was ready by then (rule R2).
            if !mustStop { mark.run { dispatch(state) } }
            state.batch.removeAll()
            if mustStop { return }
        }
        if !state.timers.isEmpty { mark.run { fireTimers(state, before: firstNewTimer) } }
    }

    /// Where the loop has a limit for it, looks for something to do before it waits. True where that was the wait: descriptors
    /// are ready and in the batch, or a timer is due. Else the wait follows, and does not last where work has come.
    @inline(__always)
    private func spin(_ state: LoopState, _ waiting: Waiting) throws(LoopError) -> Bool {
        let limit = spinLimit.load(ordering: .relaxed)
        if limit == 0 || state.hasWork || !waiting.isAllowed(state) { return false }
        return try spin(state, for: limit)
    }

    @inline(never)
    private func spin(_ state: LoopState, for limit: Int64) throws(LoopError) -> Bool {
        let begin = clock.now
        while !mustStop, inbox.withLock({ inbox in inbox.isEmpty }) {
            try wait(state, until: .now)
            if !state.batch.isEmpty { return true }
            let now = clock.now
            if let first = state.timers.nextDeadline, first <= now { return true }
            if now.nanoseconds - begin.nanoseconds >= limit { return false }
        }
        return false
    }

    /// What runs inside the wait are callbacks of C code on the library's own loop: the loop's work like any other.
    private func wait(_ state: LoopState, until deadline: PollDeadline) throws(LoopError) {
        state.isPolling = true
        defer { state.isPolling = false }
        try mark.run { () throws(LoopError) in
            try state.poller.wait(until: deadline) { token, readiness in
                if token != Token.wake { state.collect(token, readiness) } else { wake.clear() }
            }
        }
    }

    func takeFromInbox(_ state: LoopState) {
        // Work left over from an earlier turn stays ahead of work posted since.
        inbox.withLock { inbox in inbox.move(to: state.work, timerChanges: &state.timerChanges) }
        guard !state.timerChanges.isEmpty else { return }
        // The loop's work: what a timer's end releases may have a `deinit` that asks which scheduler it is on.
        mark.run { takeTimerChanges(state) }
    }

    private func takeTimerChanges(_ state: LoopState) {
        for change in state.timerChanges {
            switch change {
            case .arm(let entry): if entry.receive() { state.arm(entry) }
            case .disarm(let entry): state.disarm(entry)
            }
        }
        state.timerChanges.removeAll(keepingCapacity: state.timerChanges.count <= Self.workPerTurn)
    }

    private func runWork(_ state: LoopState) {
        let queue = state.work
        var left = Self.workPerTurn
        // The `deinit` of what a disposed timer held may have disposed the loop since the turn began (rule D4).
        if mustStop { return }
        while left > 0, let piece = queue.popFirst() {
            left -= 1
            state.callbacks += 1
            switch consume piece {
            case .closure(let work):
                work()
            case .scheduled(let scheduled): scheduled.run()
            case .job(let job): identity.run(job)
            }
            if mustStop { return }
        }
    }

    /// When to stop waiting. Before a wait the flag goes up under the inbox's lock, so that no post is missed (rule X2).
    func nextDeadline(_ state: LoopState, waiting: Waiting) -> PollDeadline {
        if !waiting.isAllowed(state) || state.hasWork { return .now }
        if mustStop { return .now }
        let mustNotWait = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            return false
        }
        // A stop between the check above and the flag found nobody waiting and woke nobody.
        if mustNotWait { return .now }
        if isStopRequested.load(ordering: .sequentiallyConsistent) { return .now }
        guard let first = state.timers.nextDeadline else { return .never }
        return .at(first)
    }

    private func dispatch(_ state: LoopState) {
        let count = state.batch.count
        for index in 0..<count {
            let (token, readiness) = (state.batch[index].token, state.batch[index].readiness)
            if index &+ 3 < count { state.table.prefetchWatch(of: state.batch[index &+ 3].token) }
            if index &+ 2 < count { state.table.prefetchCallee(of: state.batch[index &+ 2].token) }
            if index &+ 1 < count { state.table.prefetchForCallee(of: state.batch[index &+ 1].token) }
            if let watch = state.table.onlyWatch(of: token) {
                var told = readiness
                let whom = watch._withUnsafeGuaranteedRef { watch in callee(watch, &told, state) }
                call(whom, told, state)
            } else if token == Token.mainQueue {
                serveMainQueue(state)
            } else if token == Token.deadline {
                // A host's, left from before our own run: nobody waits for it there, and readable it would end every wait.
                if thread == .main { state.deadline?.disarm() }
            } else {
                for watch in state.table.watches(of: token) where !mustStop {
                    var told = readiness
                    call(callee(watch, &told, state), told, state)
                }
            }
            if mustStop { return }
        }
    }

    /// Who is to be called of a watch, if anybody; `told` becomes what it is to be told of that.
    @inline(__always)
    private func callee(
        _ watch: WatchEntry,
        _ told: inout Readiness,
        _ state: LoopState
    ) -> WatchEntry.Callee {
        told.formIntersection(watch.wanted)
        let isNew = watch.isNew(in: state.turn)
        let isOver = watch.isDisposed
        if told.isEmpty || isNew || isOver { return .nobody }
        return watch.callee
    }

    @inline(__always)
    private func call(_ callee: WatchEntry.Callee, _ told: Readiness, _ state: LoopState) {
        switch callee {
        case .nobody: return
        case .closure(let ready):
            state.callbacks += 1
            ready(told)
        case .owner(let owner):
            state.callbacks += 1
            owner.isReady(for: told)
        }
    }

    private func serveMainQueue(_ state: LoopState) {
        state.callbacks += 1
        precondition(
            thread != .host || ThreadIdentity.isMain,
            "loop \(name) serves the main queue: its host has to run on the main thread"
        )
        CurrentScheduler.runWithout { MainQueue.drain() }
    }

    private func fireTimers(_ state: LoopState, before firstNewTimer: UInt64) {
        let now = clock.now
        defer { if !state.fired.isEmpty { setFiredAnew(state) } }
        var waiting: [(TimerEntry, UInt64)] = []
        while !mustStop, let timer = state.timers.popFirstDue(at: now) {
            // Set in this turn: it waits for the next one (rules S12, T15).
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
        // Its place among others of the same deadline is that of now (rule T6).
        let sequence = state.nextTimer
        state.nextTimer += 1
        if timer.lookAtRepeating({ $0.countsFromEnd }) {
            timer.lookAtRepeating { $0.deadline = $0.next(now: clock.now) }
            state.timers.insert(timer, sequence: sequence)
        } else {
            state.fired.append(timer, sequence: sequence)
        }
    }

    /// At a fixed rate what was missed is made up by one, as of the end of the turn's timers: what passed while they ran was missed by all
    /// of them, and the clock is read once. Each by itself would read it for longer than all the rest takes.
    private func setFiredAnew(_ state: LoopState) {
        let now = clock.now
        state.fired.drain { timer in
            let isOver = timer.lookAtRepeating { timer in
                // Another one's work may have disposed it.
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
