import ReactiveCore
import ReactiveSupport

/// What belongs to whoever holds the loop: its queue, timers, descriptors and poller. Never touched by two threads at once.
final class LoopState {
    /// Replaced by one that holds nothing when the loop is taken down.
    private(set) var poller: AnyPoller
    let table = DescriptorTable()
    let timers = TimerQueue()
    /// Those that are to be set anew at the end of the turn.
    let fired = FiredTimers()
    /// Work taken from the inbox.
    let work = WorkQueue()
    var timerChanges: [Inbox.TimerChange] = []
    let batch = ReadyBuffer()
    /// How many turns have begun.
    var turn: UInt64 = 0
    /// The number the next timer gets: insertion order.
    var nextTimer: UInt64 = 0
    /// Watches, timers and signal handlers that keep `runUntilIdle` going.
    var aliveCount = 0
    /// Callbacks run since the loop was made; tells whether a turn did something.
    var callbacks: UInt64 = 0
    var isServingMainQueue = false
    /// A guest's next deadline, in the poller; nil on a loop that runs itself.
    var deadline: TimerDescriptor?
    var poll = Poll.idle
    var listeners: [ObjectIdentifier: SignalListener] = [:]
    private var releases = Releases.immediate

    /// What the poller does. While it waits it must not be called: only callbacks of the C library run then.
    enum Poll { case idle, waiting }

    init(_ poller: AnyPoller) {
        self.poller = poller
    }

    var hasWork: Bool { !work.isEmpty }

    /// Takes what the poller reports. Reading and writing of one descriptor, reported one after the other, are one call.
    ///
    /// Pollers report a hang-up as everything or as everything asked for. It must not matter which: a callback of the same
    /// turn may widen the interest of the descriptor.
    func collect(_ token: UInt64, _ readiness: Readiness) {
        batch.merge(token, readiness.intersection(table.registered(as: token)))
    }

    // MARK: Releasing

    /// Defers what is released from now on until ``endDeferring()``.
    func beginDeferring() { releases = .deferred([]) }

    /// Returns what was deferred, for the caller to release when it has given the state back.
    func endDeferring() -> [Released] {
        guard case .deferred(let all) = releases else { return [] }
        releases = .immediate
        return all
    }

    private func release(_ released: consuming Released) {
        guard case .deferred(var all) = releases else { return released.release() }
        // Without a second reference to the list, so that it grows in place.
        releases = .deferred([])
        all.append(released)
        releases = .deferred(all)
    }

    // MARK: Timers

    func arm(_ entry: TimerEntry) {
        recount(entry)
        timers.insert(entry, sequence: nextTimer)
        nextTimer += 1
    }

    func disarm(_ entry: TimerEntry) {
        timers.remove(entry)
        recount(entry)
        if let work = entry.takeRemains() { release(.work(work)) }
    }

    /// Brings the count of what keeps the loop alive up to date with one timer.
    func recount(_ entry: TimerEntry) {
        let counts = entry.keepsAliveNow && !entry.isDisposed
        guard counts != entry.isCounted else { return }
        entry.isCounted = counts
        aliveCount += counts ? 1 : -1
    }

    // MARK: Descriptors

    func add(_ watch: WatchEntry) throws(LoopError) {
        let descriptor = watch.descriptor
        guard descriptor >= 0 else {
            throw LoopError(.badDescriptor, "cannot watch descriptor \(descriptor): it must be open, 0 or more")
        }
        // Another thread may have disposed the watches of this number and closed it. Their removal is work that has not run
        // yet, and the kernel dropped the registration with the closed descriptor (rule D7).
        if !table.isWatched(descriptor) { forget(descriptor) }
        if table.registered(descriptor) == nil {
            // Before it has a slot: a refused number leaves nothing behind, however large it is (rule N21).
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
            // What is left was registered before; narrowing it can only fail for want of kernel memory, and then the
            // others are merely told of more than they asked for.
            try? update(watch.descriptor)
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

    /// Asks the poller for what the watches of a registered descriptor want, if that is not what it has been asked for.
    private func update(_ descriptor: Int32) throws(LoopError) {
        let wanted = table.wanted(descriptor)
        guard let registered = table.registered(descriptor), registered != wanted else { return }
        try poller.modify(descriptor, wanted, token: table.token(descriptor))
        table.setRegistered(wanted, descriptor)
    }

    /// Ends a number's registration, if it has one; the next one is of the next generation. The descriptor may be closed
    /// already, and its number in use elsewhere.
    private func forget(_ descriptor: Int32) {
        if table.registered(descriptor) == nil { return }
        poller.deregister(descriptor)
        table.setRegistered(nil, descriptor)
    }

    // MARK: Taking down

    /// Empties everything and returns what held closures. The caller releases it when the loop is over and nobody waits for its state.
    func takeDown() -> Remains {
        let (registered, watches) = table.removeAll()
        for descriptor in registered { poller.deregister(descriptor) }
        for listener in listeners.values { listener.close() }
        listeners = [:]
        aliveCount = 0
        defer {
            deadline = nil
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
