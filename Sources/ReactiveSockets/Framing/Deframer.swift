// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// One subscription to a signal of frames. It receives chunks and sends frames. During a pause it keeps the rest of a
/// chunk.
///
/// Most other sources of this module use an emitter. An emitter would buffer the frames of a pause, and deliver them on
/// the thread that resumes.
///
/// Only the thread that holds `claim` cuts frames and accesses the variables, so `UnsafeTransfer` is safe. Events from
/// inside a delivery or from another thread are queued (law 4).
final class Deframer {
    @safe @exclusivity(unchecked)
    private var cutter: FrameCutter
    private let sink: Sink<Bytes, SocketError>
    private let subscription: SignalSubscription
    /// The subscription to the source. It may terminate while frames wait.
    let upstream: SignalSubscription

    private let claim = DrainClaim()
    private let arrivals = Lock(Arrivals())
    /// Whether the source is paused because the rest of a chunk waits.
    private var holdsUpstream = false
    /// The last frame, after the source has completed.
    private var last: Bytes?
    private var isOver = false

    private struct Arrivals {
        var events = FIFO<Event<Bytes, SocketError>>()
        /// Describes how to continue with the rest of a chunk. `nil` means that no rest waits.
        var rest: Rest?
        /// A failure that the source has sent. It may overtake bytes that have not been cut yet (law 9).
        var failure: SocketError?
        /// Retains the deframer while the termination waits, because the source has released the deframer by then.
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
        // The reference is weak, to avoid a cycle: the source retains the deframer, which retains the subscription.
        let deframer = UnsafeTransfer(Weak(self))
        subscription.onChange { change in
            switch change {
            case .paused: break
            case .resumed, .failuresMayPass: deframer.value.object?.resume()
            case .over: deframer.value.object?.wake()
            }
        }
    }

    func receive(_ chunk: Bytes) {
        guard claim.take() else { return queue(.value(chunk)) }
        // If no event waits, the chunk bypasses the queue.
        if cutter.needsChunk, arrivals.withLock({ $0.events.isEmpty }) {
            cutter.add(chunk)
        } else {
            arrivals.withLock { $0.events.append(.value(chunk)) }
        }
        work()
    }

    private func queue(_ event: Event<Bytes, SocketError>) {
        arrivals.withLock { $0.events.append(event) }
        wake()
    }

    func receive(termination: Termination<SocketError>) {
        let anchor = UnsafeTransfer(self)
        arrivals.withLock { arrivals in
            arrivals.anchor = anchor
            if case .failed(let error) = termination { arrivals.failure = error }
            arrivals.events.append(.ended(termination))
        }
        wake()
    }

    private func wake() {
        if claim.announce() { work() }
    }

    /// Continues on the loop that delivered the chunk, if any (law 7).
    private func resume() {
        guard let rest = arrivals.withLock({ $0.rest }) else { return }
        guard let home = rest.home, !home.isCurrent else { return wake() }
        let deframer = UnsafeTransfer(self)
        home.execute { deframer.value.subscription.restoring { deframer.value.wake() } }
    }

    private func work() {
        var seen = 1
        repeat { sendFrames() } while !claim.release(&seen)
    }

    private func sendFrames() {
        while !isOver, !subscription.isDisposed {
            do throws(SocketError) {
                while subscription.acceptsValues, let frame = try cutter.next() { sink.receive(frame) }
                if subscription.isPaused, last != nil || !cutter.needsChunk {
                    if let failure = overtaking() {
                        finish(.failed(failure))
                    } else if !canContinue() {
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
                    guard let event = arrivals.withLock({ $0.events.popFirst() }) else { return }
                    try take(event)
                }
            } catch {
                finish(.failed(error))
            }
        }
        cutter.clear()
        _ = arrivals.withLock { arrivals in
            // Released outside the lock (law 3).
            defer { arrivals = Arrivals() }
            return arrivals
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

    /// The source is released before the subscriber is notified (law 6).
    private func finish(_ termination: Termination<SocketError>) {
        isOver = true
        upstream.dispose()
        sink.receive(termination: termination)
    }

    /// Keeps the rest of the chunk until the subscription resumes. Returns true if the caller need not wait: the
    /// subscription has resumed already, or a failure may overtake the rest.
    private func canContinue() -> Bool {
        if !holdsUpstream {
            holdsUpstream = true
            upstream.addPause(.byQueue)
        }
        let rest = Rest(home: CurrentScheduler.value)
        // The old value is released outside the lock (law 3).
        _ = arrivals.withLock { arrivals in
            defer { arrivals.rest = rest }
            return arrivals.rest
        }
        // If the subscription resumed before this point, `resume` found no rest and did nothing.
        return !subscription.isPaused || overtaking() != nil
    }

    /// The failure that overtakes the rest of the chunk, or nil. A failure may overtake it if only operators pause the
    /// subscription (law 9).
    private func overtaking() -> SocketError? {
        guard let failure = arrivals.withLock({ $0.failure }), subscription.letsFailuresPass else { return nil }
        return failure
    }

    /// Resumes the source after the rest has been cut. The next chunk may arrive before this returns.
    private func goOn() {
        guard holdsUpstream else { return }
        holdsUpstream = false
        _ = arrivals.withLock { $0.rest.take() }
        upstream.removePause(.byQueue)
    }
}

/// The observer that a ``Deframer`` subscribes to its source.
struct DeframerInput: Observer {
    private let deframer: UnsafeTransfer<Deframer>

    init(_ deframer: Deframer) { self.deframer = UnsafeTransfer(deframer) }

    func receive(_ value: Bytes) { deframer.value.receive(value) }

    func receive(termination: Termination<SocketError>) { deframer.value.receive(termination: termination) }
}
