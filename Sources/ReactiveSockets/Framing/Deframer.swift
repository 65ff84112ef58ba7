import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// One subscription to frames: takes chunks, sends frames, and keeps a chunk's rest while it is paused, in place of the
/// emitter that other sources of this module have: that would keep frames, and deliver them where it is resumed.
///
/// Whoever holds the claim cuts; what comes meanwhile, from inside a delivery or from another thread, is queued (law 4). The
/// variables belong to the holder of the claim, which is why it may travel as `UnsafeTransfer`.
final class Deframer {
    @safe @exclusivity(unchecked)
    private var cutter: FrameCutter
    private let sink: Sink<Bytes, SocketError>
    private let subscription: SignalSubscription
    /// The source's: it may end while frames wait.
    let upstream: SignalSubscription

    private let claim = DrainClaim()
    private let inbox = Lock(Inbox())
    /// Whether the source is held, for the chunk's rest.
    private var holdsUpstream = false
    /// The last frame, when the source has completed.
    private var last: Bytes?
    private var isOver = false

    private struct Inbox {
        var events = FIFO<Event<Bytes, SocketError>>()
        /// Where to go on with the chunk's rest, while that waits.
        var rest: Rest?
        /// A failure that has come, behind what is not cut yet.
        var failure: SocketError?
        /// The deframer itself while the end waits: the source has let go of it.
        var anchor: UnsafeTransfer<Deframer>?
    }

    private struct Rest {
        let home: (any Scheduler)?
    }

    init(_ cutter: FrameCutter, _ sink: Sink<Bytes, SocketError>, _ subscription: SignalSubscription) {
        self.cutter = cutter
        self.sink = sink
        self.subscription = subscription
        upstream = subscription.makeChild()
        // Weak: the source keeps it, and it keeps the subscription.
        let deframer = UnsafeTransfer(Weak(self))
        subscription.onChange { change in
            switch change {
            case .paused: break
            case .resumed, .eased: deframer.value.object?.resume()
            case .over: deframer.value.object?.wake()
            }
        }
    }

    func receive(_ chunk: Bytes) {
        guard claim.take() else { return queue(.value(chunk)) }
        // With nothing waiting the inbox need not be asked.
        if cutter.needsChunk, inbox.withLock({ $0.events.isEmpty }) {
            cutter.add(chunk)
        } else {
            inbox.withLock { $0.events.append(.value(chunk)) }
        }
        work()
    }

    private func queue(_ event: Event<Bytes, SocketError>) {
        inbox.withLock { $0.events.append(event) }
        wake()
    }

    func receive(termination: Termination<SocketError>) {
        let anchor = UnsafeTransfer(self)
        inbox.withLock { inbox in
            inbox.anchor = anchor
            if case .failed(let error) = termination { inbox.failure = error }
            inbox.events.append(.ended(termination))
        }
        wake()
    }

    private func wake() {
        if claim.announce() { work() }
    }

    /// Goes on on the loop that the chunk came on (law 7), if there was one.
    private func resume() {
        guard let rest = inbox.withLock({ $0.rest }) else { return }
        guard let home = rest.home, !home.isCurrent else { return wake() }
        let deframer = UnsafeTransfer(self)
        home.execute { deframer.value.wake() }
    }

    private func work() {
        var seen = 1
        repeat { sendFrames() } while !claim.release(&seen)
    }

    private func sendFrames() {
        while !isOver, !subscription.isDisposed {
            do throws(SocketError) {
                while subscription.isOpen, let frame = try cutter.next() { sink.receive(frame) }
                if subscription.isPaused, last != nil || !cutter.needsChunk {
                    if let failure = overtaking() {
                        finish(.failed(failure))
                    } else if !mayGoOn() {
                        return
                    }
                    continue
                }
                if let last {
                    self.last = nil
                    sink.receive(last)
                    if !subscription.isDisposed { finish(.completed) }
                } else if cutter.needsChunk {
                    goOn()
                    guard let event = inbox.withLock({ $0.events.popFirst() }) else { return }
                    try take(event)
                }
            } catch {
                finish(.failed(error))
            }
        }
        cutter.clear()
        _ = inbox.withLock { inbox in
            // Outside the lock it is let go of.
            defer { inbox = Inbox() }
            return inbox
        }
    }

    private func take(_ event: Event<Bytes, SocketError>) throws(SocketError) {
        switch event {
        case .value(let chunk): cutter.add(chunk)
        case .ended(.completed):
            last = try cutter.end()
            if last == nil { finish(.completed) }
        case .ended(.failed(let error)): finish(.failed(error))
        }
    }

    /// The source is released first (law 6).
    private func finish(_ termination: Termination<SocketError>) {
        isOver = true
        upstream.dispose()
        sink.receive(termination: termination)
    }

    /// Leaves the chunk's rest until it is resumed; true if that has happened already.
    private func mayGoOn() -> Bool {
        if !holdsUpstream {
            holdsUpstream = true
            upstream.hold(.byQueue)
        }
        let rest = Rest(home: CurrentScheduler.value)
        // The old one is let go of outside the lock.
        _ = inbox.withLock { inbox in
            defer { inbox.rest = rest }
            return inbox.rest
        }
        // Who has resumed before that has not seen it.
        return !subscription.isPaused || overtaking() != nil
    }

    /// The failure behind the chunk's rest, where operators alone are pausing (law 9).
    private func overtaking() -> SocketError? {
        guard let failure = inbox.withLock({ $0.failure }), subscription.letsFailuresPass else { return nil }
        return failure
    }

    /// The rest has been cut: the source may send the next chunk, and may do so before this returns.
    private func goOn() {
        guard holdsUpstream else { return }
        holdsUpstream = false
        _ = inbox.withLock { $0.rest.take() }
        upstream.letGo(.byQueue)
    }
}

/// What the source of a ``Deframer`` sends to.
struct DeframerInput: Observer {
    private let deframer: UnsafeTransfer<Deframer>

    init(_ deframer: Deframer) { self.deframer = UnsafeTransfer(deframer) }

    func receive(_ value: Bytes) { deframer.value.receive(value) }

    func receive(termination: Termination<SocketError>) { deframer.value.receive(termination: termination) }
}
