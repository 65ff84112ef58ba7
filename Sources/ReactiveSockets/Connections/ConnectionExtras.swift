import ReactiveCore
import ReactiveSupport

/// What few connections have, or only at their end: memory of its own, made when it is first needed.
final class ConnectionExtras {
    /// Why it ended, if it did not end by itself: what is told of it from then on.
    var failure: SocketError?
    /// Why it was broken off, if it was: what those were told who want to know when the descriptor has gone.
    var closeError: SocketError?
    /// Bytes that were accepted and could not be sent any more.
    var droppedCount = 0
    /// The termination of a reader that was inside a delivery when it came. There is one at most: no reader can follow it.
    var lateTermination: (reader: Reader, termination: Termination<SocketError>)?
    /// Signals being sent, behind the first.
    var sends: [SourceSubscription] = []
    /// Who wants to know when the descriptor has gone, behind the first.
    var closeObservers: [CloseObserver] = []
    /// How many there may be before those who no longer want to know are looked for.
    var closeObserverLimit = 16

    // Transforming
    var transformer: (any ConnectionTransformer)?
    /// What the transformer has made of what came, and nobody has taken.
    var undelivered = FIFO<Bytes>()
    var heldTickets: [SendTicket] = []
    var heldCompletions: [@Sendable (Termination<SocketError>) -> Void] = []

    var timing: ConnectionTiming?

    /// The file of a Unix socket that was connected from a path. It goes with the connection.
    var file: SocketFile?

    // The end of the stream
    var streamEndObservers: [StreamEndObserver] = []
}

/// The timers of a connection that may not be idle, or not last, for longer than so long.
final class ConnectionTiming {
    let timeouts: ConnectionTimeouts
    var idleTimer: (any Disposable)?
    var maxLifetimeTimer: (any Disposable)?
    /// Bytes received and sent when the idle timer last looked.
    var lastSeenTraffic: Int
    var unchangedChecks = 0

    init(_ timeouts: ConnectionTimeouts, _ traffic: Int) {
        self.timeouts = timeouts
        lastSeenTraffic = traffic
    }

    func stop() {
        idleTimer?.dispose()
        maxLifetimeTimer?.dispose()
        (idleTimer, maxLifetimeTimer) = (nil, nil)
    }
}
