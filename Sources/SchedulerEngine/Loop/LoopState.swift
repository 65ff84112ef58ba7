// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The queue, timers, descriptors and poller of a loop. Only the thread that holds this state may access it.
final class LoopState {
    /// The poller. After `takeDown` it is an `AnyPoller`, which must not be called.
    private(set) var poller: AnyPoller
    let table = DescriptorTable()
    let timers = TimerQueue()
    /// The repeating timers that have fired in this turn. They are re-armed at the end of the turn.
    let fired = FiredTimers()
    /// Work taken from the inbox.
    let work = WorkQueue()
    var timerChanges: [Inbox.TimerChange] = []
    let batch = ReadyBuffer()
    /// The number of turns that have begun.
    var turn: UInt64 = 0
    /// The sequence number of the next timer. Sequence numbers record the order in which timers are scheduled.
    var nextTimer: UInt64 = 0
    /// The number of watches, signal handlers and timers that keep `runUntilIdle` from returning.
    var aliveCount = 0
    /// The number of callbacks since the loop was created. It shows whether a turn has run one.
    var callbacks: UInt64 = 0
    var isServingMainQueue = false
    /// The timerfd that wakes the host at the loop's next deadline. `nil` means that the loop has no host. The poller
    /// may have another timerfd for its own waits.
    var hostTimer: TimerDescriptor?
    var listeners = IdentityTable<SignalListener>()
    /// The measurement of the turns. `nil` means that they are not measured.
    private(set) var meter: TurnMeter?
    /// The removed objects that the caller releases after a borrow, because other threads may wait for its end. `nil`
    /// during a run: the loop releases immediately, because calls of other threads throw `wrongThread` then.
    private var deferred: [Released]?
    /// Descriptors whose registered interest is larger than that of their watches.
    private var notNarrowed: [Int32] = []
    private let isSimulated: Bool

    /// - Parameter isSimulated: Whether the descriptors are those of a simulated host.
    init(_ poller: AnyPoller, isSimulated: Bool = false) {
        self.poller = poller
        self.isSimulated = isSimulated
    }

    var hasWork: Bool { !work.isEmpty }
    var mustNarrow: Bool { !notNarrowed.isEmpty }

    /// Adds a report of the poller to the batch. Consecutive reports for reading and for writing of one descriptor
    /// become one call.
    ///
    /// On a hang-up, some pollers report both kinds of readiness, and others only the registered interest. The batch
    /// must be the same for all pollers, because a callback of the same turn may widen the interest of the descriptor.
    func collect(_ token: UInt64, _ readiness: Readiness) {
        batch.merge(token, readiness.intersection(table.registered(as: token)))
    }

    // MARK: Measuring

    func beginMeasuring(_ clock: any LoopClock) {
        if let meter { return meter.users += 1 }
        let made = TurnMeter(clock)
        meter = made
        poller = MeasuringPoller(poller, made)
    }

    func endMeasuring() {
        guard let meter else { return }
        meter.users -= 1
        guard meter.users == 0, let measured = (poller as? MeasuringPoller)?.inner else { return }
        self.meter = nil
        poller = measured
    }

    // MARK: Releasing

    /// Defers releases until ``endDeferring()``.
    func beginDeferring() { deferred = [] }

    /// Returns the deferred objects. The caller releases them after it has released the state.
    func endDeferring() -> [Released] { deferred.take() ?? [] }

    private func release(_ released: consuming Released) {
        if deferred == nil { released.release() } else { deferred?.append(released) }
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

    /// Updates `aliveCount` for one timer.
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
        // Another thread may have disposed watches of this number and closed the descriptor, before the loop removes them.
        // Removed now, they leave no interest that the closed descriptor was registered with (rule D7).
        if table.registered(descriptor) != nil {
            for watch in table.watches(descriptor) where watch.isDisposed { remove(watch) }
        }
        if table.registered(descriptor) == nil {
            // Registered before the descriptor gets a slot, so that a refused number, however large, allocates nothing
            // (rule N21).
            try poller.register(descriptor, watch.wanted, token: table.token(descriptor))
            table.add(watch)
            table.setRegistered(watch.wanted, descriptor)
        } else {
            table.add(watch)
            do {
                // Not only if the interest differs: the owner may have closed the descriptor in spite of its watches, and
                // its number may have been reused. The kernel has then dropped the registration.
                try check(descriptor)
                try modify(descriptor)
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

    /// Registers the combined interest of a descriptor's watches if it differs from the registered interest.
    private func update(_ descriptor: Int32) throws(LoopError) {
        guard let registered = table.registered(descriptor), registered != table.wanted(descriptor) else { return }
        try modify(descriptor)
    }

    /// Refuses a registered descriptor that has been closed, or reused for a file that cannot be watched, if no watch has an
    /// interest. With an interest, the poller refuses it in `modify`. A simulated poller always does.
    private func check(_ descriptor: Int32) throws(LoopError) {
        if isSimulated || !table.wanted(descriptor).isEmpty { return }
        let refusal = Pollable.check(descriptor)
        if refusal != 0 { throw LoopError.watching(descriptor, refusal) }
    }

    private func modify(_ descriptor: Int32) throws(LoopError) {
        let wanted = table.wanted(descriptor)
        try poller.modify(descriptor, wanted, token: table.token(descriptor))
        table.setRegistered(wanted, descriptor)
    }

    /// Reduces the registered interest to that of the remaining watches.
    ///
    /// This fails only if the system has no memory. The poller then reports more than the watches need, and `dispatch`
    /// ignores the excess. The next turn tries again, because a level-triggered report would otherwise end every wait.
    private func narrow(_ descriptor: Int32) {
        do { try update(descriptor) } catch { notNarrowed.append(descriptor) }
    }

    /// Tries again to narrow the registrations for which narrowing has failed.
    func retryNarrowing() {
        let descriptors = notNarrowed
        notNarrowed = []
        for descriptor in descriptors { narrow(descriptor) }
    }

    /// Ends the registration of a descriptor's number, if there is one. The next registration gets the next generation.
    /// The descriptor may already be closed, and its number reused.
    private func forget(_ descriptor: Int32) {
        if table.registered(descriptor) == nil { return }
        poller.deregister(descriptor)
        table.setRegistered(nil, descriptor)
    }

    // MARK: Taking down

    /// Empties the state, and returns the objects that contain closures. The caller releases them after disposal, when
    /// no thread waits for the state.
    func removeAll() -> Remains {
        let (registered, watches) = table.removeAll()
        for descriptor in registered { poller.deregister(descriptor) }
        for listener in listeners.values { listener.close() }
        listeners = IdentityTable()
        aliveCount = 0
        defer {
            hostTimer = nil
            meter = nil
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
