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

    private let listeners: [Listener]
    /// The loop that sets the properties, so that changes keep their order.
    private let home: any LoopScheduler
    private let limits: ServerLimits
    private let drainMark: DrainMark
    private let service: @Sendable (Connection) -> Signal<Never, SocketError>
    private let books: Lock<ServerLedger>

    init(
        _ listeners: [Listener],
        _ home: any LoopScheduler,
        _ limits: ServerLimits,
        _ drainMark: DrainMark,
        sharesSockets: Bool,
        _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        self.listeners = listeners
        books = Lock(ServerLedger(listeners: listeners.count, limits, sharesSockets: sharesSockets))
        self.home = home
        self.limits = limits
        self.drainMark = drainMark
        self.service = service
    }

    /// The current state and the number of connections that are being served.
    var present: (state: ServerState, connections: Int) {
        books.withLock { books in (books.phase, books.served.count) }
    }

    /// The connections that are being served, with the instants at which they were accepted.
    var served: [(connection: Connection, begin: LoopInstant)] {
        books.withLock { books in books.served.all.map { ($0.connection, books.served.begin(in: $0.slot)) } }
    }

    var totals: ServerTotals { books.withLock { books in books.totals } }

    func start() {
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
        books.withLock { books in books.totals.rejected += 1 }
        events.send(.rejected(peer))
    }

    // MARK: Connections

    private func arrived(_ connection: Connection, _ accepting: SignalSubscription) {
        let now = connection.loop.now
        let (verdict, isFull) = books.withLock { books in
            let verdict = books.admit(connection, at: now, limits)
            return (verdict, books.isFull(limits))
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
        // When a connection ends, `ended` disposes the pauses. One may have ended since the check above.
        let pause = accepting.pause()
        let isKept = books.withLock { books in
            guard books.isFull(limits) else { return false }
            books.pauses.append(pause)
            return true
        }
        if !isKept { pause.dispose() }
    }

    private func serve(_ entry: ServedConnections.Entry) {
        let loop = entry.connection.loop
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent { begin(entry) } else { loop.execute { [self] in begin(entry) } }
    }

    /// Call it on the connection's loop.
    private func begin(_ entry: ServedConnections.Entry) {
        entry.connection.core.value.set(limits.timeouts)
        publish()
        events.send(.accepted(entry.connection))
        Serving.start(self, entry, service)
    }

    /// The connection in a slot. Only the service that owns the slot may call this.
    func connection(in slot: Int32) -> Connection? { books.withLock { books in books.served[slot] } }

    /// Call it on the connection's loop.
    func ended(_ slot: Int32, _ termination: Termination<SocketError>) {
        let (connection, begin) = books.withLock { books in (books.served[slot], books.served.begin(in: slot)) }
        if let connection { ended((connection, slot), since: begin, termination) }
    }

    /// `begin` was read before the timeouts were set. So the duration of a connection that reaches its maximum lifetime is
    /// at least that lifetime.
    private func ended(
        _ entry: ServedConnections.Entry,
        since begin: LoopInstant,
        _ termination: Termination<SocketError>
    ) {
        let connection = entry.connection
        let now = connection.loop.now
        let core = connection.core.value
        var failure: SocketError?
        if case .failed(let error) = termination { failure = error }
        let summary = ConnectionSummary(
            duration: now - begin,
            received: core.receivedTotal,
            sent: core.sending.sent,
            failure: failure
        )
        // The event is sent before the removal, because the removal of the last connection completes `events`.
        events.send(.ended(connection, summary))
        let (next, pauses) = books.withLock { books in books.release(entry, summary, at: now, limits) }
        if let next { serve(next) }
        for pause in pauses { pause.dispose() }
        publish()
    }

    // MARK: Handing over

    /// Duplicates of the listening sockets, which the caller closes. Any thread may call it.
    func duplicates() throws(SocketError) -> [Int32] {
        var duplicates: [Int32] = []
        for listener in listeners {
            do throws(SocketError) {
                duplicates.append(try listener.core.value.duplicate())
            } catch {
                for duplicate in duplicates { SystemSocket(descriptor: duplicate).close() }
                throw error
            }
        }
        return duplicates
    }

    /// Leaves the listening sockets to the next process, if that acknowledges. Any thread may call it.
    func offer() {
        for listener in listeners { listener.core.value.offer() }
        books.withLock { books in books.beginOffer() }
    }

    /// Ends an offer that was not acknowledged. Any thread may call it.
    func withdraw() {
        for listener in listeners { listener.core.value.withdraw() }
        books.withLock { books in books.endOffer() }
    }

    /// Leaves the listening sockets to the next process. Any thread may call it.
    func release() {
        for listener in listeners { listener.core.value.release() }
        books.withLock { books in books.share() }
    }

    // MARK: Draining

    func drain(within grace: Duration) {
        let deadline = home.now + max(grace, .zero)
        let (isFirst, waiting) = books.withLock { books in books.beginDraining() }
        // A loop that has been disposed since the first call may have dropped the job that closes its listener.
        for number in listeners.indices where isFirst || listeners[number].loop.isDisposed { close(number) }
        for connection in waiting { connection.abort() }
        dropOrphans()
        if isFirst { reportDrain() }
        publish()
        if grace <= .zero || home.isDisposed { return abortRemaining() }
        let timer = home.schedule(at: deadline, options: TimerOptions()) { [self] in abortRemaining() }
        // If the server stops earlier, the timer must not keep the loop alive.
        stopped.signal.subscribe(onTermination: { _ in timer.dispose() })
    }

    /// Notifies the observers of ``Connection/draining``, with one job for each loop.
    private func reportDrain() {
        drainMark.begin()
        let served = books.withLock { books in books.served.all.map(\.connection) }
        for connections in Dictionary(grouping: served, by: { ObjectIdentifier($0.loop) }).values {
            connections[0].loop.runOrExecute { for connection in connections { connection.core.value.reportDrain() } }
        }
    }

    /// Removes connections whose loop has been disposed. A disposed loop does not report their end.
    private func dropOrphans() {
        let orphans = books.withLock { books in
            books.served.all.filter { $0.connection.loop.isDisposed }.map { ($0, books.served.begin(in: $0.slot)) }
        }
        for (orphan, begin) in orphans {
            let loop = orphan.connection.loop
            let over = "the loop \(loop.name) has been disposed, so its connections are closed"
            ended(orphan, since: begin, .failed(SocketError(.loop, over)))
        }
        // Connections that have waited for these are served next. Their loops may have been disposed too.
        if !orphans.isEmpty { dropOrphans() }
    }

    /// Closes a listener on its own loop. A disposed loop has closed the socket, or the release of the server closes
    /// it. Its thread may still use the listener.
    private func close(_ number: Int) {
        let listener = listeners[number]
        let sharesSockets = books.withLock { books in books.sharesSockets }
        let closed: @Sendable () -> Void = { [self] in
            books.withLock { books in books.listenerClosed(number) }
            publish()
        }
        let close: @Sendable () -> Void = {
            if sharesSockets { return listener.core.value.retire(closed) }
            listener.core.value.close()
            closed()
        }
        if listener.loop.isDisposed { closed() } else { listener.loop.runOrExecute(close) }
    }

    private func abortRemaining() {
        let (left, waiting, isPatient) = books.withLock { books in
            (books.served.all.map(\.connection), books.takeWaiting(), books.sharesSockets)
        }
        for connection in left + waiting { connection.abort() }
        dropOrphans()
        for (number, listener) in listeners.enumerated() {
            if listener.loop.isDisposed {
                books.withLock { books in books.listenerClosed(number) }
            } else if isPatient {
                // It may wait for peers whose headers are not complete.
                listener.loop.runOrExecute { listener.core.value.close() }
            }
        }
        publish()
    }

    // MARK: Publishing

    /// Sets the properties to the counted values. This happens on the home loop, so that changes keep their order. One
    /// job publishes several changes.
    private func publish() {
        let isDue = books.withLock { books in
            defer { books.isPublishDue = true }
            return books.isPublishDue
        }
        let notify: @Sendable () -> Void = { [self] in
            let (count, phase) = books.withLock { books in
                books.isPublishDue = false
                return (books.served.count, books.phase)
            }
            if connectionCount.value != count { connectionCount.value = count }
            if state.value != phase { state.value = phase }
            if phase == .stopped {
                events.complete()
                stopped.complete()
            }
        }
        // A disposed loop runs no jobs, so the caller notifies, and the order of changes is not guaranteed.
        if home.isDisposed { notify() } else if !isDue { home.execute(notify) }
    }
}
