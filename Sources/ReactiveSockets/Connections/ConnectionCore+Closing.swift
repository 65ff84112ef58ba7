import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// A graceful end (rules N14, N24): the peer gets everything that was sent, whatever it is sending itself, as long as it takes it.
///
/// A socket that is closed while it holds unread data, or that data reaches later, is reset by the kernel, and with that go
/// the last bytes sent. So sending ends first, then what comes is thrown away until the peer ends too, within bounds.
extension ConnectionCore {
    private static let patience = Duration.seconds(2)
    /// The timer compares counters this often within the patience, so that a process that stood still is not mistaken for a peer that did.
    private static let looks = 4
    private static let discardLimit = 1024 * 1024

    /// Whether everything has been sent and only the peer's end is awaited.
    var isDiscarding: Bool { isClosing && hasFinished && !hasReachedEnd }

    func close(within limit: Duration?) {
        guard isOpen else { return }
        if !isClosing { beginClosing() }
        if let limit, isOpen { endClosing(within: limit) }
    }

    private func beginClosing() {
        isClosing = true
        let error = SocketError(.closed, "the connection with \(peer) has been closed here")
        neededExtras.failure = error
        let reception = takeReception()
        finishSending(nil)
        if hasFinished { startDiscarding() } else { watchProgress() }
        if let reception { tellEnd(.failed(error), to: reception) }
        tellStreamEnd()
    }

    /// Called when sending has ended, and only the peer's end is missing.
    func startDiscarding() {
        guard isOpen, isDiscarding else { return }
        let extras = neededExtras
        if case .peersEnd = extras.closing { return }
        extras.closing.stop()
        let core = Confined(self)
        extras.closing = .peersEnd(
            loop.schedule(after: Self.patience) {
                if core.value.isOpen { core.value.leave() }
            }
        )
        updateWatch()
    }

    /// Reads and forgets a chunk.
    func discard() {
        var wouldBlock = false
        let count = SlabCache.withCurrent { cache in
            cache.read(atMost: SlabCache.slabSize) { memory in
                switch socket.receive(memory) {
                case .count(let count): return count
                case .wouldBlock: wouldBlock = true
                case .failed: break
                }
                return -1
            }.result
        }
        if wouldBlock { return }
        let extras = neededExtras
        extras.discardedCount += max(0, count)
        if count <= 0 || extras.discardedCount > Self.discardLimit { leave() }
    }

    // MARK: Peers that take nothing

    /// Looks at what the peer takes while the rest is being sent.
    private func watchProgress() {
        guard isOpen, !hasFinished else { return }
        let core = Confined(self)
        let period = Self.patience / Self.looks
        let timer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: TimerOptions()) {
            core.value.lookForProgress()
        }
        neededExtras.closing = .sending(timer, SendingProgress(remaining: unacknowledgedCount))
    }

    /// Bytes that the peer's system has not acknowledged. The kernel's send buffer is included: it takes more only when a good
    /// part of it is free, which with a slow peer may take minutes.
    private var unacknowledgedCount: Int { pendingCount + socket.unsentCount }

    private func lookForProgress() {
        guard case .sending(let timer, var progress)? = extras?.closing else { return }
        progress.look(remaining: unacknowledgedCount)
        extras?.closing = .sending(timer, progress)
        if progress.quietLooks >= Self.looks { giveUp("the peer took nothing for \(Self.patience)") }
    }

    /// The earliest of several limits counts.
    private func endClosing(within limit: Duration) {
        let extras = neededExtras
        let deadline = loop.now + max(limit, .zero)
        if let earlier = extras.closingDeadline, earlier.instant <= deadline { return }
        extras.closingDeadline?.timer.dispose()
        let core = Confined(self)
        let timer = loop.schedule(at: deadline, options: TimerOptions()) { core.value.runOutOfTime(limit) }
        extras.closingDeadline = (deadline, timer)
    }

    private func runOutOfTime(_ limit: Duration) {
        guard isOpen else { return }
        if hasFinished { leave() } else { giveUp("the limit of \(limit) is over") }
    }

    private func giveUp(_ reason: String) {
        abort(
            SocketError(
                .timedOut,
                "closing the connection with \(peer): \(pendingCount) bytes were not sent, \(reason)"
            )
        )
    }
}

/// What a connection that is being closed waits for.
enum ClosingPhase {
    case open
    /// The peer is to take what was sent before.
    case sending(any Disposable, SendingProgress)
    /// Everything has been sent, and the peer is to end too.
    case peersEnd(any Disposable)

    func stop() {
        switch self {
        case .open: break
        case .sending(let timer, _), .peersEnd(let timer): timer.dispose()
        }
    }
}

/// How much is left to be taken by a peer, and how many looks have found no change.
struct SendingProgress {
    private var remaining: Int
    private(set) var quietLooks = 0

    init(remaining: Int) { self.remaining = remaining }

    mutating func look(remaining: Int) {
        quietLooks = remaining == self.remaining ? quietLooks + 1 : 0
        self.remaining = remaining
    }
}
