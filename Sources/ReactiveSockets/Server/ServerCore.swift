import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a server, which several loops share: counted under a lock, told outside of it.
final class ServerCore: Sendable {
    let state = Property(ServerState.serving)
    let connectionCount = Property(0)
    let events = Subject<ServerEvent, Never>()
    let stopped = Subject<Never, Never>()

    private let listeners: [Listener]
    /// Where the properties are set, so that they are set in order.
    private let home: any LoopScheduler
    private let limits: ServerLimits
    private let service: @Sendable (Connection) -> Signal<Never, SocketError>
    private let books: Lock<ServerBooks>

    init(
        _ listeners: [Listener],
        _ home: any LoopScheduler,
        _ limits: ServerLimits,
        _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        self.listeners = listeners
        books = Lock(ServerBooks(listeners: listeners.count))
        self.home = home
        self.limits = limits
        self.service = service
    }

    var totals: ServerTotals { books.withLock { books in books.totals } }

    func start() {
        for listener in listeners {
            let accepting = SignalSubscription()
            listener.connections.subscribe(
                in: accepting,
                onValue: { [self] connection in arrived(connection, accepting) },
                onTermination: { [self] termination in
                    if case .failed(let error) = termination { events.send(.failed(error)) }
                }
            )
        }
    }

    // MARK: Connections

    private func arrived(_ connection: Connection, _ accepting: SignalSubscription) {
        let (verdict, isFull) = books.withLock { books in
            let verdict = books.admit(connection, limits)
            return (verdict, books.isFull(limits))
        }
        switch verdict {
        case .serve: serve(connection)
        case .wait: break
        case .refuse:
            connection.abort()
            events.send(.refused(connection))
        case .tooLate: connection.abort()
        }
        guard isFull else { return }
        // Whoever frees a place lets go of the holds; it may have done so just now.
        let hold = accepting.pause()
        let isKept = books.withLock { books in
            guard books.isFull(limits) else { return false }
            books.holds.append(hold)
            return true
        }
        if !isKept { hold.dispose() }
    }

    private func serve(_ connection: Connection) {
        connection.loop.runOrExecute { [self] in
            let begin = connection.loop.now
            connection.setTimeouts(limits.timeouts)
            let serving = SignalSubscription()
            publish()
            events.send(.accepted(connection))
            connection.ended.subscribe(onTermination: { [self] termination in
                serving.dispose()
                ended(connection, since: begin, termination)
            })
            service(connection).subscribe(
                in: serving,
                onTermination: { termination in
                    switch termination {
                    case .completed: connection.close()
                    case .failed: connection.abort()
                    }
                }
            )
        }
    }

    /// On the connection's loop.
    private func ended(_ connection: Connection, since begin: LoopInstant, _ termination: Termination<SocketError>) {
        let core = connection.core.value
        var failure: SocketError?
        if case .failed(let error) = termination { failure = error }
        let summary = ConnectionSummary(
            duration: connection.loop.now - begin,
            received: core.receivedTotal,
            sent: core.sentTotal,
            failure: failure
        )
        // Before it is taken out of the books: the last one's end is what completes the events.
        events.send(.ended(connection, summary))
        let (next, holds) = books.withLock { books in books.release(connection, summary, limits) }
        if let next { serve(next) }
        for hold in holds { hold.dispose() }
        publish()
    }

    // MARK: Draining

    func drain(within grace: Duration) {
        let deadline = home.now + max(grace, .zero)
        let (isFirst, waiting) = books.withLock { books in books.beginDraining() }
        if isFirst { for listener in listeners { close(listener) } }
        for connection in waiting { connection.abort() }
        dropOrphans()
        publish()
        if grace <= .zero || home.isDisposed { return breakOff() }
        let timer = home.schedule(at: deadline, options: TimerOptions()) { [self] in breakOff() }
        // Once nothing is left it would only keep the loop.
        stopped.signal.subscribe(onTermination: { _ in timer.dispose() })
    }

    /// Connections whose loop is over, and which nobody else says have gone with it.
    private func dropOrphans() {
        let orphans = books.withLock { books in books.served.values.filter { $0.loop.isDisposed } }
        for orphan in orphans {
            let over = "the loop \(orphan.loop.name) has been disposed, and its connections with it"
            ended(orphan, since: orphan.loop.now, .failed(SocketError(.loop, over)))
        }
    }

    /// On its own loop; the server has stopped when the last is closed.
    private func close(_ listener: Listener) {
        let close: @Sendable () -> Void = { [self] in
            listener.core.value.close()
            books.withLock { books in books.listenerClosed() }
            publish()
        }
        // A loop that is over has closed its socket, or it goes with the server.
        if listener.loop.isDisposed { close() } else { listener.loop.runOrExecute(close) }
    }

    private func breakOff() {
        let left = books.withLock { books in Array(books.served.values) }
        for connection in left { connection.abort() }
    }

    // MARK: Telling

    /// Sets the properties to what the books say, on the home loop and so in order; once for many changes.
    private func publish() {
        let isDue = books.withLock { books in
            defer { books.isPublishDue = true }
            return books.isPublishDue
        }
        let tell: @Sendable () -> Void = { [self] in
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
        // A loop that is over runs nothing any more, not even what is due; and there is no order left to keep.
        if home.isDisposed { tell() } else if !isDue { home.execute(tell) }
    }
}
