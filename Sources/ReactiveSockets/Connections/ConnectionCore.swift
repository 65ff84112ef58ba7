import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a connection. It belongs to the loop: every member is called there, but for `deinit`.
///
/// While it receives, or has something to send, it is watched, and the watch keeps it; else nobody but its users does.
final class ConnectionCore: LoopBound, DescriptorOwner {
    // One of these is held for each idle connection: what few have is elsewhere. With a thousand connections every line of
    // memory that a message needs is fetched anew, so what all messages need comes first, and together.
    let socket: SystemSocket
    /// The turn that something was last sent in outside of a delivery, as far as it fits.
    var lastTurn = UInt32.max
    let place: ConnectionPlace
    /// Who receives: a ``Reception``, in two parts so that neither has to be held for a look at the other.
    private(set) var sink: Sink<Bytes, SocketError>?
    private(set) var subscription: SignalSubscription?
    private(set) var isOpen = true
    var isClosing = false
    var hasReachedEnd = false
    /// Somebody's end came inside a delivery to it, and follows it (law 2).
    private var hasLateEnds = false
    /// Whether the last chunk was kept by somebody: then the next ones are smaller, since they are what memory goes to.
    var chunksAreKept = false
    /// The kernel takes no more for now: the watch says when it does.
    var isBlocked = false
    /// A chunk is being delivered: what is sent meanwhile goes out in one call behind it.
    var isGathering = false
    /// What was sent meanwhile is one piece, and with the place.
    var hasGathered = false
    /// Whether a flush for the rest of what was sent in a turn is due.
    var isFlushDue = false
    var isAboveHighWatermark = false
    /// Sending ends when everything pending has gone.
    var isFinishing = false
    var hasFinished = false
    /// Whether there is a transformer: looking for it costs more.
    let isTransformed: Bool
    /// The peer has ended, but somebody has to take what came before.
    var endIsWaiting = false
    /// What `isWritable` says. For any thread; here where there is room for it.
    let toldWritability = Atomic<UInt8>(Writability.Told.writable)
    /// What waits, and who waits for it to have gone.
    var backlog: SendBacklog?
    /// How many bytes wait.
    var pendingCount = 0
    /// Bytes the kernel has taken since the beginning.
    var sentTotal = 0
    var receivedTotal = 0

    let remote: SocketAddress?
    private var watch: (any DescriptorWatch)?
    var extras: ConnectionExtras?
    /// A signal that is being sent; of several the first.
    private var firstSend: SendEnd?
    /// Who wants to know when the descriptor has gone; of several the first.
    private var firstEnder: Ender?
    /// The property of `isWritable` if anybody has asked for it. For any thread, as what it says.
    let writability = LazyReference<Writability>()

    init(
        _ socket: SystemSocket,
        _ place: ConnectionPlace,
        _ remote: SocketAddress?,
        _ transformer: (any Transformer)?
    ) {
        self.socket = socket
        self.place = place
        self.remote = remote
        isTransformed = transformer != nil
        if let transformer { neededExtras.transformer = transformer }
    }

    deinit {
        // Not watched, or the loop is over and has let go of its watches: the number is ours alone.
        guard isOpen else { return }
        extras?.file?.remove()
        socket.close()
    }

    var loop: any LoopScheduler { place.loop }

    var watermarks: Watermarks { place.watermarks }

    /// The extras, made now if there are none.
    var neededExtras: ConnectionExtras {
        if let extras { return extras }
        let made = ConnectionExtras()
        extras = made
        return made
    }

    /// Bytes accepted since the beginning.
    var acceptedTotal: Int { sentTotal + pendingCount + (isOpen ? 0 : extras?.droppedCount ?? 0) }

    /// The backlog, made now if there is none.
    var neededBacklog: SendBacklog {
        if let backlog { return backlog }
        let made = SendBacklog()
        backlog = made
        return made
    }

    /// Why it ended, if it did not end by itself.
    var failure: SocketError? { extras?.failure }

    /// The peer's name in messages.
    var peer: String { remote?.description ?? "a peer without an address" }

    // MARK: Being watched

    /// Watches for what is wanted now; to be called whenever that may have changed.
    func updateWatch() {
        guard isOpen else { return }
        let reader = hasReachedEnd ? nil : subscription
        let isWriting = isBlocked
        let isPeeking = isPeeking
        guard reader != nil || isWriting || isDiscarding || hasEndObservers else {
            watch?.dispose()
            watch = nil
            return
        }
        var interest: Readiness = []
        let isOwed = isTransformed && (endIsWaiting || extras?.undelivered.isEmpty == false)
        let wantsMore = reader?.isToldToWait == false && !isOwed
        if isDiscarding || wantsMore || isPeeking { interest.insert(.read) }
        if isWriting { interest.insert(.write) }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                watch = try place.watch(socket.descriptor, for: interest, self)
            }
        } catch {
            fail(.loop("connection with \(peer)", error))
        }
    }

    func isReady(for readiness: Readiness) {
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
        if releaseIfDone() { tellEnders(.completed) }
    }

    /// The same for a caller that has to tell somebody else first; true where the enders are to be told.
    func releaseIfDone() -> Bool {
        guard isOpen, hasReachedEnd, hasFinished else {
            updateWatch()
            return false
        }
        release(abruptly: false)
        return true
    }

    /// Everybody is told after everything has been put in order: they may call anything.
    private func end(_ error: SocketError, abruptly: Bool) {
        guard isOpen else { return }
        let extras = neededExtras
        if extras.failure == nil { extras.failure = error }
        extras.breakOff = error
        release(abruptly: abruptly)
        let (reception, backlog) = (takeReception(), backlog)
        let sends = takeSends()
        let (tickets, heldEnds, undelivered) = (extras.heldTickets, extras.heldEnds, extras.undelivered)
        let piece = takeGathered()
        self.backlog = nil
        extras.heldTickets = []
        extras.heldEnds = []
        for ticket in tickets { ticket.state = .refused(error) }
        extras.droppedCount = pendingCount
        pendingCount = 0
        extras.undelivered = FIFO()
        isAboveHighWatermark = false
        if let reception { tellEnd(.failed(error), to: reception) }
        for waiter in backlog?.takeWaiters() ?? [] { waiter.end(.failed(error)) }
        for end in heldEnds { end(.failed(error)) }
        for send in sends { send.breakOff(error) }
        for hold in backlog?.takeHolds() ?? [] { hold.dispose() }
        tellEnders(.failed(error))
        withExtendedLifetime((piece, undelivered)) {}
    }

    func abandon() {
        guard isOpen else { return }
        release(abruptly: false)
        // They go when everything is in order: letting go of them may run the code of others.
        let sends = takeSends()
        let left = (takeReception(), backlog, takeGathered(), extras, firstEnder)
        backlog = nil
        extras = nil
        firstEnder = nil
        // What observes is held by its own subscription as well, and what is sent by its source.
        left.0?.subscription.dispose()
        for send in sends { send.dispose() }
    }

    // MARK: Those to be told

    func setReception(_ reception: Reception) {
        (sink, subscription) = (reception.sink, reception.subscription)
    }

    /// Who has been receiving, to be told how it ended, or to be let go of when everything is in order.
    func takeReception() -> Reception? {
        defer { (sink, subscription) = (nil, nil) }
        guard let sink, let subscription else { return nil }
        return Reception(sink: sink, subscription: subscription)
    }

    /// Tells who has been receiving that it is over: now, or behind the delivery that is under way (law 2).
    func tellEnd(_ termination: Termination<SocketError>, to reception: Reception) {
        guard isGathering else { return reception.end(termination) }
        neededExtras.lateEnds.append((reception, termination))
        hasLateEnds = true
    }

    /// To be called behind a delivery.
    @inline(__always)
    func tellLateEnds() {
        if hasLateEnds { tellAllLateEnds() }
    }

    @inline(never)
    private func tellAllLateEnds() {
        hasLateEnds = false
        let ends = extras?.lateEnds ?? []
        extras?.lateEnds = []
        for (reception, termination) in ends { reception.end(termination) }
    }

    /// A signal is going to be sent, and is broken off when the connection ends.
    func begin(_ send: SendEnd) {
        guard isOpen, !isFinishing else { return send.breakOff(closedError) }
        if firstSend == nil { firstSend = send } else { neededExtras.sends.append(send) }
    }

    func remove(_ send: SendEnd) {
        if firstSend === send { firstSend = nil } else { extras?.sends.removeAll { $0 === send } }
    }

    /// Whether that signal is being sent, and so ends with the connection at the latest.
    func isSending(_ send: SendEnd) -> Bool {
        firstSend === send || extras?.sends.contains { $0 === send } == true
    }

    func takeSends() -> [SendEnd] {
        var sends = extras?.sends ?? []
        extras?.sends = []
        if let firstSend { sends.insert(firstSend, at: 0) }
        firstSend = nil
        return sends
    }

    /// The end that is nobody's failure: there is nobody left to be told but the observers of `isWritable`.
    func leave() {
        release(abruptly: false)
        tellEnders(.completed)
    }

    /// Tells when the descriptor has gone, and how that was; whose subscription is over by then may be left out.
    func whenEnded(
        _ subscription: SignalSubscription? = nil,
        _ tell: @escaping @Sendable (Termination<SocketError>) -> Void
    ) {
        if isOpen { return add(Ender(subscription: subscription, tell: tell)) }
        if let breakOff = extras?.breakOff { tell(.failed(breakOff)) } else { tell(.completed) }
    }

    /// Those who have lost interest go meanwhile: a connection may outlive any number of them.
    private func add(_ ender: Ender) {
        if extras?.enders.isEmpty ?? true, firstEnder?.isOver ?? true {
            // Gone only when everything is in order: what it holds may ask for this again while it goes.
            let last = firstEnder
            firstEnder = ender
            return withExtendedLifetime(last) {}
        }
        let extras = neededExtras
        extras.enders.append(ender)
        if extras.enders.count < extras.mostEnders { return }
        let all = extras.enders
        extras.enders = all.filter { !$0.isOver }
        extras.mostEnders = max(16, 2 * extras.enders.count)
        withExtendedLifetime(all) {}
    }

    func tellEnders(_ termination: Termination<SocketError>) {
        tellWritability(Writability.Told.over)
        tellStreamEnd()
        let (first, others) = (firstEnder, extras?.enders ?? [])
        firstEnder = nil
        extras?.enders = []
        first?.tell(termination)
        for ender in others { ender.tell(termination) }
    }

    /// Said first, then told to the property if there is one: who makes it at the same time reads what has been said.
    func tellWritability(_ told: UInt8) {
        toldWritability.store(told, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard let writability = writability.object else { return }
        if told == Writability.Told.over { writability.end() } else { writability.set(told != Writability.Told.full) }
    }

    private func release(abruptly: Bool) {
        isOpen = false
        watch?.dispose()
        watch = nil
        if let extras {
            extras.closing.stop()
            extras.closing = .open
            extras.closingDeadline?.timer.dispose()
            extras.closingDeadline = nil
            extras.timing?.stop()
            extras.timing = nil
            extras.file?.remove()
        }
        if abruptly { socket.closeAbruptly() } else { socket.close() }
    }
}
