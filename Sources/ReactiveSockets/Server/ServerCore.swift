// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a server, which several loops share. It changes counters under a lock, and notifies observers outside
/// the lock (Decision 0013).
final class ServerCore: Sendable {
    let state = Property(ServerState.serving)
    let connectionCount = Property(0)
    let events = Subject<ServerEvent, Never>()
    let stopped = Subject<Never, Never>()

    let listeners: [Listener]
    private let loops: [any LoopScheduler]
    private let limits: ServerLimits
    private let drainMark: DrainMark
    private let service: @Sendable (Connection) -> Signal<Never, SocketError>
    let ledger: Lock<ServerLedger>
    /// What waits for the disposal of the loops, until the server has stopped.
    private let disposals = CompositeDisposable()

    init(
        _ listeners: [Listener],
        _ loops: LoopGroup,
        _ limits: ServerLimits,
        _ drainMark: DrainMark,
        sharesSockets: Bool,
        _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        self.listeners = listeners
        ledger = Lock(ServerLedger(listeners: listeners.count, limits, sharesSockets: sharesSockets))
        self.loops = loops.loops
        self.limits = limits
        self.drainMark = drainMark
        self.service = service
    }

    deinit {
        // Needed only if some loops have been disposed and the others have nothing left to do.
        disposals.dispose()
    }

    /// The loop that sets the properties, so that changes keep their order.
    private var home: any LoopScheduler { loops[0] }

    /// The current state and the number of connections that are being served.
    var present: (state: ServerState, connections: Int) {
        ledger.withLock { ledger in (ledger.phase, ledger.served.count) }
    }

    /// The connections that are being served, with the instants at which they were accepted.
    var served: [(connection: Connection, begin: LoopInstant)] {
        ledger.withLock { ledger in ledger.served.all.map { ($0.connection, ledger.served.begin(in: $0.slot)) } }
    }

    var totals: ServerTotals { ledger.withLock { ledger in ledger.totals } }

    func start() {
        // This comes first, because a loop that is being disposed must not have a connection yet. The reference is weak,
        // because a server that has nothing left to do on a loop may be released before that loop.
        for loop in loops { disposals.add(loop.onDispose { [weak self] in self?.loopEnded(loop) }) }
        for listener in listeners {
            // Weak, because the listener would otherwise retain itself through this object.
            listener.rejections.subscribe(onValue: { [weak self] peer in self?.rejected(peer) })
            let accepting = SignalSubscription()
            listener.connections.subscribe(
                in: accepting,
                onValue: { [self] connection in arrived(connection, accepting) },
                onTermination: { [self] termination in
                    guard case .failed(let error) = termination else { return }
                    events.send(.failed(error))
                    if !events.hasBeenObserved { UnhandledFailure.report(error, of: "Server") }
                }
            )
        }
    }

    private func rejected(_ peer: RejectedPeer) {
        ledger.withLock { ledger in ledger.totals.rejected += 1 }
        events.send(.rejected(peer))
    }

    // MARK: Connections

    private func arrived(_ connection: Connection, _ accepting: SignalSubscription) {
        let now = connection.loop.now
        let (verdict, isFull) = ledger.withLock { ledger in
            let verdict = ledger.admit(connection, at: now, limits)
            return (verdict, ledger.isFull(limits))
        }
        switch verdict {
        case .serve(let entry): serve(entry)
        case .wait: break
        case .refuse:
            connection.abort()
            events.send(.refused(connection))
        case .tooLate: connection.abort()
        }
        guard isFull else { return }
        // When a connection ends, `release` disposes the pauses. One may have ended since the check above.
        let pause = accepting.pause()
        let isKept = ledger.withLock { ledger in
            guard ledger.isFull(limits) else { return false }
            ledger.pauses.append(pause)
            return true
        }
        if !isKept { pause.dispose() }
    }

    private func serve(_ entry: ServedConnections.Entry) {
        let loop = entry.connection.loop
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent { return begin(entry) }
        loop.execute({ [self] in begin(entry) }, ifDisposed: { [self] in neverServed(entry) })
    }

    /// Releases a connection whose loop was disposed before it began to serve it. Another thread may be disposing that
    /// loop, so this method does not use the connection.
    private func neverServed(_ entry: ServedConnections.Entry) {
        guard ledger.withLock({ ledger in ledger.end(entry) }) != nil else { return }
        release(entry, nil)
    }

    /// Call it on the connection's loop.
    private func begin(_ entry: ServedConnections.Entry) {
        ledger.withLock { ledger in ledger.serve(entry) }
        entry.connection.core.value.set(limits.timeouts)
        publish()
        events.send(.accepted(entry.connection))
        Serving.start(self, entry, service)
        entry.connection.core.value.watchForEnd()
    }

    /// The connection in a slot. Only the service that owns the slot may call this.
    func connection(in slot: Int32) -> Connection? { ledger.withLock { ledger in ledger.served[slot] } }

    /// Call it on the connection's loop.
    func ended(_ slot: Int32, _ termination: Termination<SocketError>) {
        if let connection = connection(in: slot) { ended((connection, slot), termination) }
    }

    private func ended(_ entry: ServedConnections.Entry, _ termination: Termination<SocketError>) {
        guard let (begin, wasServed) = ledger.withLock({ ledger in ledger.end(entry) }) else { return }
        guard wasServed else { return release(entry, nil) }
        let connection = entry.connection
        let core = connection.core.value
        var failure: SocketError?
        if case .failed(let error) = termination { failure = error }
        // `begin` was read before the timeouts were set. So the duration of a connection that reaches its maximum lifetime
        // is at least that lifetime.
        let summary = ConnectionSummary(
            duration: connection.loop.now - begin,
            received: core.receivedTotal,
            sent: core.sending.sent,
            failure: failure
        )
        // The event is sent before the removal, because the removal of the last connection completes `events`.
        events.send(.ended(connection, summary))
        release(entry, summary)
    }

    /// Frees the place of a connection that has ended. Without a summary it was not served.
    private func release(_ entry: ServedConnections.Entry, _ summary: ConnectionSummary?) {
        let now = entry.connection.loop.now
        let (next, pauses) = ledger.withLock { ledger in ledger.release(entry, summary, at: now, limits) }
        if let next { serve(next) }
        for pause in pauses { pause.dispose() }
        publish()
    }

    /// Ends everything on a loop that has been disposed, which reports nothing. It is called once for each loop, when no
    /// callback of the loop runs any more.
    private func loopEnded(_ loop: any LoopScheduler) {
        for (number, listener) in listeners.enumerated() where listener.loop === loop {
            listener.core.value.abandon()
            ledger.withLock { ledger in ledger.listenerClosed(number) }
        }
        let (served, waiting) = ledger.withLock { ledger in
            (ledger.served.all(on: loop), ledger.takeWaiting(of: loop, limits))
        }
        // A connection without a watch has no other way to notice the disposal.
        for connection in served.map(\.connection) + waiting { connection.core.value.abandon() }
        let over = SocketError(.loop, "the loop \(loop.name) has been disposed, so its connections are closed")
        for entry in served { ended(entry, .failed(over)) }
        if loops.allSatisfy(\.isDisposed) {
            drain(within: .zero)
        } else if loop === home, present.state == .draining {
            // The loop has dropped the timer of the deadline.
            abortRemaining()
        } else {
            publish()
        }
    }

    // MARK: Draining

    func drain(within grace: Duration) {
        let deadline = home.now + max(grace, .zero)
        let (isFirst, waiting) = ledger.withLock { ledger in ledger.beginDraining() }
        for connection in waiting { connection.abort() }
        if isFirst {
            for number in listeners.indices { close(number) }
            reportDrain()
        }
        publish()
        if grace <= .zero || home.isDisposed { return abortRemaining() }
        let timer = home.schedule(at: deadline, options: TimerOptions()) { [self] in abortRemaining() }
        // If the server stops earlier, the timer must not keep the loop alive.
        stopped.signal.subscribe(onTermination: { _ in timer.dispose() })
    }

    /// Notifies the observers of ``Connection/draining``, with one job for each loop.
    private func reportDrain() {
        drainMark.begin()
        let served = ledger.withLock { ledger in ledger.served.all.map(\.connection) }
        for loop in loops {
            let connections = served.filter { $0.loop === loop }
            if connections.isEmpty { continue }
            loop.runOrExecute { for connection in connections { connection.core.value.reportDrain() } }
        }
    }

    /// Closes a listener on its own loop. The disposal of the loop closes it too.
    private func close(_ number: Int) {
        let listener = listeners[number]
        let sharesSockets = ledger.withLock { ledger in ledger.sharesSockets }
        let closed: @Sendable () -> Void = { [self] in
            ledger.withLock { ledger in ledger.listenerClosed(number) }
            publish()
        }
        listener.loop.runOrExecute {
            if sharesSockets { return listener.core.value.retire(closed) }
            listener.core.value.close()
            closed()
        }
    }

    private func abortRemaining() {
        let (left, waiting, isPatient) = ledger.withLock { ledger in
            (ledger.served.all.map(\.connection), ledger.takeWaiting(), ledger.sharesSockets)
        }
        for connection in left + waiting { connection.abort() }
        if isPatient {
            // They may wait for peers whose headers are not complete.
            for listener in listeners { listener.loop.runOrExecute { listener.core.value.close() } }
        }
        publish()
    }

    // MARK: Publishing

    /// Sets the properties to the counted values. This happens on the home loop, so that changes keep their order. One
    /// job publishes several changes.
    private func publish() {
        let isDue = ledger.withLock { ledger in
            defer { ledger.isPublishDue = true }
            return ledger.isPublishDue
        }
        let notify: @Sendable () -> Void = { [self] in
            let (count, phase) = ledger.withLock { ledger in
                ledger.isPublishDue = false
                return (ledger.served.count, ledger.phase)
            }
            if connectionCount.value != count { connectionCount.value = count }
            if state.value != phase { state.value = phase }
            if phase == .stopped {
                events.complete()
                stopped.complete()
                disposals.dispose()
            }
        }
        // A disposed loop runs no jobs, so the caller notifies, and the order of changes is not guaranteed.
        if home.isDisposed { notify() } else if !isDue { home.execute(notify) }
    }
}
