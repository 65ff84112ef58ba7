import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a connection. It belongs to the loop: every member is called there, but for `deinit`.
///
/// While it receives, or has something to send, it is watched, and the watch keeps it; else nobody but its users does.
final class ConnectionCore: LoopBound {
    let socket: SystemSocket
    let loop: any LoopScheduler
    let watermarks: Watermarks
    private let remote: SocketAddress?

    private var watch: (any DescriptorWatch)?
    private(set) var isOpen = true
    /// Why it ended, if it did not end by itself.
    var failure: SocketError?

    // Receiving
    var receiver: Receiver?
    var hasReachedEnd = false
    /// Whether the last chunk was kept by somebody: then the next ones are smaller, since they are what memory goes to.
    var chunksAreKept = false

    // Sending
    /// What waits, where it is one piece and the kernel has not been asked: nearly always, and it costs no queue.
    var onlyPiece: Bytes?
    /// What waits, else.
    var pending = SendQueue()
    /// How many bytes wait, in either.
    var pendingCount = 0
    /// The kernel takes no more for now: the watch says when it does.
    var isBlocked = false
    /// A chunk is being delivered: what is sent meanwhile goes out in one call behind it.
    var isGathering = false
    /// So many bytes are worth a call of their own, or have to be told as waiting.
    let gatheredAtMost: Int
    /// The turn that something was last sent in outside of a delivery, and whether a flush for the rest of it is due.
    var lastTurn = UInt64.max
    var isFlushDue = false
    /// Bytes accepted, and bytes the kernel has taken, since the beginning.
    var acceptedTotal = 0
    var sentTotal = 0
    var isAboveHighWatermark = false
    /// Sending ends when everything pending has gone.
    var isFinishing = false
    var hasFinished = false
    /// In the order of their positions.
    var waiters: [Waiter] = []
    /// The first one's, looked at after each message.
    var nextPosition = Int.max
    var heldSources: [any Disposable] = []
    var writers: [ObjectIdentifier: @Sendable (SocketError) -> Void] = [:]
    let writability = Writability()
    /// Who wants to know when the descriptor has gone.
    var enders: [@Sendable (Termination<SocketError>) -> Void] = []

    // Transforming
    var transformer: (any Transformer)?
    /// Whether there is one: looking at it costs more.
    let isTransformed: Bool
    /// What the transformer has made of what came, and nobody has taken.
    var undelivered = FIFO<Bytes>()
    /// The peer has ended, but somebody has to take what came before.
    var endIsWaiting = false
    var heldTickets: [SendTicket] = []
    var heldEnds: [@Sendable (Termination<SocketError>) -> Void] = []

    // Timing out
    var timeouts = ConnectionTimeouts()
    var idleTimer: (any Disposable)?
    var wholeTimer: (any Disposable)?
    /// Bytes received and sent when the idle timer last looked.
    var lastSeenTraffic = 0
    var quietLooks = 0
    var receivedTotal = 0

    // Closing
    var isClosing = false
    var discardedCount = 0
    var closingTimer: (any Disposable)?

    /// Who receives.
    final class Receiver {
        let emitter: Emitter<Bytes, SocketError>
        let subscription: SignalSubscription
        let flow: ToldFlow

        init(emitter: Emitter<Bytes, SocketError>, subscription: SignalSubscription, flow: ToldFlow) {
            self.emitter = emitter
            self.subscription = subscription
            self.flow = flow
        }
    }

    /// Who wants to know when the kernel has everything up to a position.
    struct Waiter {
        let position: Int
        let end: @Sendable (Termination<SocketError>) -> Void
    }

    init(
        _ socket: SystemSocket,
        _ loop: any LoopScheduler,
        _ watermarks: Watermarks,
        _ remote: SocketAddress?,
        _ transformer: (any Transformer)?
    ) {
        self.socket = socket
        self.loop = loop
        self.watermarks = watermarks
        gatheredAtMost = min(16 * 1024, watermarks.high)
        self.remote = remote
        self.transformer = transformer
        isTransformed = transformer != nil
    }

    deinit {
        // Not watched, or the loop is over and has let go of its watches: the number is ours alone.
        if isOpen { socket.close() }
    }

    /// The peer's name in messages.
    var peer: String { remote?.description ?? "a peer without an address" }

    // MARK: Being watched

    /// Watches for what is wanted now; to be called whenever that may have changed.
    func updateWatch() {
        guard isOpen else { return }
        let reader = hasReachedEnd ? nil : receiver
        let isWriting = isBlocked
        guard reader != nil || isWriting || isDiscarding else {
            watch?.dispose()
            watch = nil
            return
        }
        var interest: Readiness = []
        let isOwed = isTransformed && (endIsWaiting || !undelivered.isEmpty)
        let wantsMore = reader?.flow.isPaused == false && !isOwed
        if isDiscarding || wantsMore { interest.insert(.read) }
        if isWriting { interest.insert(.write) }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                let anchor = WatchAnchor(self)
                watch = try loop.watch(socket.descriptor, for: interest) { ready in anchor.core.ready(ready) }
            }
        } catch {
            fail(.loop("connection with \(peer)", error))
        }
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.write), isBlocked { flush() }
        guard readiness.contains(.read), isOpen else { return }
        if isDiscarding { discard() } else { readChunk() }
    }

    // MARK: Ending

    /// The connection breaks off by itself, or the system's refusal.
    func fail(_ error: SocketError) {
        end(error, abruptly: false)
    }

    func abort(_ error: SocketError) {
        end(error, abruptly: true)
    }

    var closedError: SocketError {
        failure ?? SocketError(.closed, "sending to \(peer) has been ended here")
    }

    /// Both directions have ended: the descriptor goes.
    func closeIfDone() {
        guard isOpen, hasReachedEnd, hasFinished || fault(.endClosesBoth) else { return updateWatch() }
        leave()
    }

    /// Everybody is told after everything has been put in order: they may call anything.
    private func end(_ error: SocketError, abruptly: Bool) {
        guard isOpen else { return }
        if failure == nil { failure = error }
        release(abruptly: abruptly)
        let receiver = receiver.take()
        let waiters = waiters
        let writers = writers
        let (tickets, heldEnds) = (heldTickets, heldEnds)
        self.waiters = []
        nextPosition = .max
        self.writers = [:]
        heldTickets = []
        self.heldEnds = []
        for ticket in tickets { ticket.state = .refused(error) }
        pending = SendQueue()
        onlyPiece = nil
        pendingCount = 0
        undelivered = FIFO()
        isAboveHighWatermark = false
        receiver?.emitter.send(termination: .failed(error))
        for waiter in waiters { waiter.end(.failed(error)) }
        for end in heldEnds { end(.failed(error)) }
        for tell in writers.values { tell(error) }
        releaseSources()
        tellEnders(.failed(error))
    }

    func abandon() {
        guard isOpen else { return }
        release(abruptly: false)
        // They go when everything is in order: letting go of them may run the code of others.
        let left = (receiver, waiters, writers, heldSources, pending, onlyPiece, heldEnds, enders)
        let transformed = (undelivered, transformer)
        receiver = nil
        waiters = []
        nextPosition = .max
        writers = [:]
        heldSources = []
        heldEnds = []
        pending = SendQueue()
        onlyPiece = nil
        undelivered = FIFO()
        transformer = nil
        enders = []
        // What observes is held by its own subscription as well.
        left.0?.subscription.dispose()
        withExtendedLifetime(transformed) {}
    }

    /// The end that is nobody's failure: there is nobody left to be told but the observers of `isWritable`.
    func leave() {
        release(abruptly: false)
        tellEnders(.completed)
    }

    /// Tells `end` when the descriptor has gone, and how that was.
    func whenEnded(_ end: @escaping @Sendable (Termination<SocketError>) -> Void) {
        if isOpen { return enders.append(end) }
        // Closed on this side is no failure.
        if let failure, failure.code != .closed { end(.failed(failure)) } else { end(.completed) }
    }

    private func tellEnders(_ termination: Termination<SocketError>) {
        writability.end()
        let enders = enders
        self.enders = []
        for end in enders { end(termination) }
    }

    private func release(abruptly: Bool) {
        isOpen = false
        watch?.dispose()
        watch = nil
        for timer in [closingTimer, idleTimer, wholeTimer] { timer?.dispose() }
        (closingTimer, idleTimer, wholeTimer) = (nil, nil, nil)
        if fault(.closedTwice) { loop.execute { [socket] in socket.close() } }
        if fault(.socketLeaks) { return }
        if abruptly { socket.closeAbruptly() } else { socket.close() }
    }
}
