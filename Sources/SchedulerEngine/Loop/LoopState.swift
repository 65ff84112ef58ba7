// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that belongs to the thread that holds the loop: queue, timers, descriptors and poller. Two threads never
/// access it at once.
final class LoopState {
    /// Replaced by an abstract poller when the loop is taken down.
    private(set) var poller: AnyPoller
    let table = DescriptorTable()
    let timers = TimerQueue()
    /// The timers to re-arm at the end of the turn.
    let fired = FiredTimers()
    /// Work taken from the inbox.
    let work = WorkQueue()
    var timerChanges: [Inbox.TimerChange] = []
    let batch = ReadyBuffer()
    /// The number of turns that have begun.
    var turn: UInt64 = 0
    /// The sequence number of the next timer, which records insertion order.
    var nextTimer: UInt64 = 0
    /// The number of watches and timers that keep `runUntilIdle` going. The watch of a signal handler counts too.
    var aliveCount = 0
    /// The number of callbacks since the loop was created. It shows whether a turn ran one.
    var callbacks: UInt64 = 0
    var isServingMainQueue = false
    /// The timerfd that wakes the host at the loop's next deadline. It is registered with the poller, beside the
    /// timerfd of the poller's own waits (`PollTimer`). Nil on a loop without a host.
    var hostTimer: TimerDescriptor?
    var poll = Poll.idle
    var listeners: [ObjectIdentifier: SignalListener] = [:]
    private var releases = Releases.immediate
    /// Descriptors that the poller reports for more than their watches want.
    private var notNarrowed: [Int32] = []

    /// What the poller does. While it waits it must not be called: only callbacks of the C library run then.
    enum Poll { case idle, waiting }

    init(_ poller: AnyPoller) {
        self.poller = poller
    }

    var hasWork: Bool { !work.isEmpty }
    var mustNarrow: Bool { !notNarrowed.isEmpty }

    /// Adds to the batch what the poller reports. Consecutive reports for reading and writing of one descriptor become
    /// one call.
    ///
    /// Some pollers report a hang-up as ready for everything, others as ready for the registered interest. The result
    /// must be the same, because a callback of the same turn may widen the interest of the descriptor.
    func collect(_ token: UInt64, _ readiness: Readiness) {
        batch.merge(token, readiness.intersection(table.registered(as: token)))
    }

    // MARK: Releasing

    /// Defers releases until ``endDeferring()``.
    func beginDeferring() { releases = .deferred([]) }

    /// Returns the deferred objects. The caller releases them after it has given up the state.
    func endDeferring() -> [Released] {
        guard case .deferred(let all) = releases else { return [] }
        releases = .immediate
        return all
    }

    private func release(_ released: consuming Released) {
        guard case .deferred(var all) = releases else { return released.release() }
        // Drops the second reference to the list, so that the list grows in place.
        releases = .deferred([])
        all.append(released)
        releases = .deferred(all)
    }

    // MARK: Timers

    func insert(_ entry: TimerEntry) {
        recount(entry)
        timers.insert(entry, sequence: nextTimer)
        nextTimer += 1
    }

    func remove(_ entry: TimerEntry) {
        timers.remove(entry)
        recount(entry)
        if let work = entry.takeRemains() { release(.work(work)) }
    }

    /// Updates the count of what keeps the loop alive for one timer.
    func recount(_ entry: TimerEntry) {
        let counts = entry.wantsLoopAlive && !entry.isDisposed
        guard counts != entry.isCounted else { return }
        entry.isCounted = counts
        aliveCount += counts ? 1 : -1
    }

    // MARK: Descriptors

    func add(_ watch: WatchEntry) throws(LoopError) {
        let descriptor = watch.descriptor
        guard descriptor >= 0 else {
            throw LoopError(.badDescriptor, "cannot watch descriptor \(descriptor): the number is negative")
        }
        // Another thread may have disposed the watches of this number and closed the descriptor. The kernel then
        // dropped the registration, but the work that removes the watches has not run yet (rule D7).
        if !table.isWatched(descriptor) { forget(descriptor) }
        if table.registered(descriptor) == nil {
            // Before the descriptor has a slot, so that a refused number, however large, leaves nothing behind (rule
            // N21).
            try poller.register(descriptor, watch.wanted, token: table.token(descriptor))
            table.add(watch)
            table.setRegistered(watch.wanted, descriptor)
        } else {
            table.add(watch)
            do {
                try update(descriptor)
            } catch {
                _ = table.remove(watch)
                throw error
            }
        }
        aliveCount += 1
    }

    func remove(_ watch: WatchEntry) {
        guard table.remove(watch) else { return }
        if watch.isCounted { aliveCount -= 1 }
        if table.isWatched(watch.descriptor) {
            narrow(watch.descriptor)
        } else {
            forget(watch.descriptor)
        }
        release(watch.takeCallee())
    }

    func setInterest(_ interest: Readiness, of watch: WatchEntry) throws(LoopError) {
        guard watch.wanted != interest else { return }
        let before = watch.wanted
        watch.wanted = interest
        do {
            try update(watch.descriptor)
        } catch {
            watch.wanted = before
            throw error
        }
    }

    /// Registers what the watches of a registered descriptor want, if that differs from what the poller has.
    private func update(_ descriptor: Int32) throws(LoopError) {
        let wanted = table.wanted(descriptor)
        guard let registered = table.registered(descriptor), registered != wanted else { return }
        try poller.modify(descriptor, wanted, token: table.token(descriptor))
        table.setRegistered(wanted, descriptor)
    }

    /// Narrows what is registered to what the remaining watches want.
    ///
    /// This fails only if the system has no memory. The poller then reports more than the watches want, and `dispatch`
    /// drops it. The next turn tries again, because otherwise a level-triggered report would end every wait.
    private func narrow(_ descriptor: Int32) {
        do { try update(descriptor) } catch { notNarrowed.append(descriptor) }
    }

    /// Narrows again the descriptors that the poller has refused to narrow.
    func retryNarrowing() {
        let descriptors = notNarrowed
        notNarrowed = []
        for descriptor in descriptors { narrow(descriptor) }
    }

    /// Ends the registration of a descriptor's number, if there is one. The next registration gets the next generation.
    /// The descriptor may be closed already, and its number in use elsewhere.
    private func forget(_ descriptor: Int32) {
        if table.registered(descriptor) == nil { return }
        poller.deregister(descriptor)
        table.setRegistered(nil, descriptor)
    }

    // MARK: Taking down

    /// Empties the state and returns the objects that hold closures. The caller releases them after disposal, when no
    /// thread waits for the state.
    func takeDown() -> Remains {
        let (registered, watches) = table.removeAll()
        for descriptor in registered { poller.deregister(descriptor) }
        for listener in listeners.values { listener.close() }
        listeners = [:]
        aliveCount = 0
        defer {
            hostTimer = nil
            poller = AnyPoller()
        }
        return Remains(
            work: work.removeAll(),
            timers: timers.removeAll(),
            callees: watches.map { watch in watch.takeCallee() },
            poller: poller
        )
    }
}
