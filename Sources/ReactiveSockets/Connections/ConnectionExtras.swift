import ReactiveCore
import ReactiveSupport

/// What few connections have, or only at their end: memory of its own, made when it is first needed.
final class ConnectionExtras {
    /// Why it ended, if it did not end by itself: what is told of it from then on.
    var failure: SocketError?
    /// Why it was broken off, if it was: what those were told who want to know when the descriptor has gone.
    var breakOff: SocketError?
    /// Bytes that were accepted and could not be sent any more.
    var droppedCount = 0
    /// The termination of a reader that was inside a delivery when it came. There is one at most: no reader can follow it.
    var lateTermination: (reception: Reception, termination: Termination<SocketError>)?
    /// Signals being sent, behind the first.
    var sends: [SendEnd] = []
    /// Who wants to know when the descriptor has gone, behind the first.
    var enders: [EndObserver] = []
    /// How many there may be before those who no longer want to know are looked for.
    var mostEnders = 16

    // Transforming
    var transformer: (any ConnectionTransformer)?
    /// What the transformer has made of what came, and nobody has taken.
    var undelivered = FIFO<Bytes>()
    var heldTickets: [SendTicket] = []
    var heldEnds: [@Sendable (Termination<SocketError>) -> Void] = []

    var timing: ConnectionTiming?

    /// The file of a Unix socket that was connected from a path. It goes with the connection.
    var file: SocketFile?

    // The end of the stream
    var endObservers: [StreamEndObserver] = []
}

/// The timers of a connection that may not be idle, or not last, for longer than so long.
final class ConnectionTiming {
    let timeouts: ConnectionTimeouts
    var idleTimer: (any Disposable)?
    var wholeTimer: (any Disposable)?
    /// Bytes received and sent when the idle timer last looked.
    var lastSeenTraffic: Int
    var quietLooks = 0

    init(_ timeouts: ConnectionTimeouts, _ traffic: Int) {
        self.timeouts = timeouts
        lastSeenTraffic = traffic
    }

    func stop() {
        idleTimer?.dispose()
        wholeTimer?.dispose()
        (idleTimer, wholeTimer) = (nil, nil)
    }
}
