// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a connection. Every member except `deinit` is called on the loop, unless its comment says otherwise.
///
/// `ConnectionPhase`, `ReceivingState` and `SendingState` store the state and decide each transition. The extensions of
/// this class ask these types what to do, perform the system calls, and record the outcomes. While the connection receives
/// or bytes wait to be sent, its watch retains it.
final class ConnectionCore: LoopBound, DescriptorOwner {
    // Every idle connection has one of these objects, so rarely used state is in `extras`. Each message needs the
    // fields up to `receivedTotal`. They are adjacent, because with many connections each additional cache line is a
    // cache miss.
    let socket: SystemSocket
    /// Whether there is a transformer. Reading this is cheaper than looking in `extras`.
    private(set) var isTransformed: Bool
    // Safe: the methods of these states call no other code, so accesses cannot overlap. A run-time check would cost
    // more than the changes do.
    @safe @exclusivity(unchecked)
    var receiving = ReceivingState()
    let context: ConnectionContext
    /// The two parts of the `Reader`. They are separate fields, so that reading one does not retain the other.
    private(set) var sink: Sink<Bytes, SocketError>?
    private(set) var subscription: SignalSubscription?
    @safe @exclusivity(unchecked)
    var phase = ConnectionPhase.established
    @safe @exclusivity(unchecked)
    var sending = SendingState()
    /// The value of `isWritable`, as a `Writability.Level`. Any thread may read it.
    let reportedWritability = Atomic<UInt8>(Writability.Level.writable)
    /// How `watch` refers to this object. Without a watch it may say why there is none.
    var watchKind = WatchKind.retaining
    /// Whether the subscriber of `received` answers the peer, although `send(from:)` does not show it.
    var answersPeer = false
    /// Whether the protocol on this connection waits for bytes of the peer if its reader is not paused.
    var awaitsPeer = true
    /// The waiting bytes, and the observers that wait for them to be sent.
    var backlog: SendBacklog?
    var receivedTotal = 0

    let remote: SocketAddress?
    let id = ConnectionCore.nextID()
    var watch: (any DescriptorWatch)?
    // Safe: accesses read or replace the reference.
    @safe @exclusivity(unchecked)
    var extras: ConnectionExtras?
    /// The first signal that is being sent. The others are in `extras`.
    var firstSend: SourceSubscription?
    /// The first observer of the closing of the descriptor. The others are in `extras`.
    @safe @exclusivity(unchecked)
    var firstCloseObserver: CloseObserver?
    /// The property of `isWritable`, created on first use. Any thread may read it.
    let writability = LazyReference<Writability>()

    init(
        _ socket: SystemSocket,
        _ context: ConnectionContext,
        _ remote: SocketAddress?,
        _ transformer: (any ConnectionTransformer)?
    ) {
        self.socket = socket
        self.context = context
        self.remote = remote
        isTransformed = transformer != nil
        reactive_memory_taken(Self.estimatedMemory)
        if let transformer { ensureExtras().setTransformer(transformer) }
    }

    /// The memory that a connection and the objects of its protocol may occupy, apart from long slabs. The number
    /// decides after how many connections the heap is trimmed (Decision 0073).
    private static let estimatedMemory = 256 * 1024

    deinit {
        reactive_memory_freed(Self.estimatedMemory)
        guard isOpen else { return }
        // Otherwise the repeating timers would fire until the loop is disposed.
        extras?.timing?.stop()
        extras?.halfClosed?.stop()
        extras?.file?.remove()
        closeWithWatch()
        notifyCloseObserversOfRelease()
    }

    /// Closes the descriptor when the loop has removed the watch: it could not do so after the close if there is a
    /// duplicate. Only the watch of a connection that neither receives nor sends can be left.
    private func closeWithWatch() {
        guard let watch else { return socket.close() }
        let closing = UnsafeTransfer(ClosingDescriptor(watch, socket))
        if isOnLoop { return closing.value.close() }
        // A disposed loop releases the job without running it.
        loop.execute { closing.value.close() }
    }

    var loop: any LoopScheduler { context.loop }

    /// Sets the transformer of a connection that has none.
    func beginTransforming(_ transformer: any ConnectionTransformer) {
        ensureExtras().setTransformer(transformer)
        isTransformed = true
    }

    /// Whether the caller is on the loop. Safe without a retain: `context` is constant, and this object retains it.
    @inline(__always)
    var isOnLoop: Bool {
        unsafe Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in context.isCurrent }
    }

    var watermarks: Watermarks { context.watermarks }

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { phase.isOpen }

    /// The extras, created if there are none.
    func ensureExtras() -> ConnectionExtras { extras.orStore(ConnectionExtras()) }

    /// The backlog, created if there is none.
    var neededBacklog: SendBacklog { backlog.orStore(SendBacklog()) }

    /// The number of bytes that the connection has accepted for sending so far, including dropped ones.
    var acceptedTotal: Int { sending.accepted + (isOpen ? 0 : extras?.ending?.droppedCount ?? 0) }

    /// The error that later sends and receivers fail with, or nil.
    var refusal: SocketError? { extras?.ending?.refusal }

    /// The error of a send that is refused.
    var refusalError: SocketError {
        refusal ?? SocketError(.closed, "cannot send to \(peer): this side has ended sending")
    }

    /// The peer's name in error messages.
    var peer: String { remote?.description ?? "a peer without an address" }

    // MARK: The reader

    func setReader(_ reader: Reader) {
        (sink, subscription) = (reader.sink, reader.subscription)
    }

    /// Removes the reader. The caller terminates or releases it once the state is consistent.
    func takeReader() -> Reader? {
        defer { (sink, subscription) = (nil, nil) }
        guard let sink, let subscription else { return nil }
        return Reader(sink: sink, subscription: subscription)
    }
}

/// The watch of the descriptor.
extension ConnectionCore {
    /// Updates the watch to the current needs. Call it after every change that may affect them.
    ///
    /// - Parameter hasSuspendedInput: Whether input has arrived that a suspended transformer cannot process.
    func updateWatch(hasSuspendedInput: Bool = false) {
        guard isOpen else { return }
        let needed = neededWatch(hasSuspendedInput)
        // Without `.read` no event reports the end of the stream, so a timer looks for it.
        if needed?.interest.contains(.read) != true { measureHalfClosed() }
        guard let (interest, retains) = needed else { return endWatch() }
        // A watch of the other kind is replaced.
        if retains == (watchKind == .weak) { endWatch() }
        if !retains, watch == nil { return schedulePeekingWatch() }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                watch = try context.watch(socket.descriptor, for: interest, self)
                watchKind = .retaining
            }
        } catch  where error.code == .wrongThread {
            afterWait { core in core.updateWatch() }
        } catch {
            fail(.loop("cannot watch the connection with \(peer)", error))
        }
    }

    /// Watches for the peer's end of stream, if the connection has no watch. A connection that receives has one.
    func watchForEnd() {
        if watch == nil { updateWatch() }
    }

    func endWatch() {
        watch?.dispose()
        watch = nil
    }

    /// Watches for the end of the stream from a later job on, because a receiver often subscribes first: after a send, or
    /// instead of another receiver. The watch is then not needed.
    private func schedulePeekingWatch() {
        if watchKind == .scheduled { return }
        watchKind = .scheduled
        let core = UnsafeTransfer(self)
        loop.execute { core.value.beginPeekingWatch() }
    }

    private func beginPeekingWatch() {
        guard watchKind == .scheduled else { return }
        watchKind = .retaining
        guard isOpen, let (interest, retains) = neededWatch(false) else { return }
        if retains { return updateWatch() }
        // The connection also works without this watch, so a refusal is not a failure. A timer then looks for the end.
        watch = try? context.watchWeakly(socket.descriptor, for: interest, self)
        watch?.keepsLoopAlive = false
        watchKind = watch == nil ? .refused : .weak
        if watch == nil { measureHalfClosed() }
    }

    // The watch in each state. The first row that applies counts. If none applies, a reader receives, and the watch has
    // `.read`. If a send is blocked, every watch also has `.write`.
    //
    // "Nothing" means no watch. If a send is blocked, or something observes the drain or the end of the stream, it means a
    // watch without `.read`.
    //
    // | State | Watch | Until |
    // |---|---|---|
    // | not used yet: nothing has called `updateWatch` | no watch | it is used |
    // | discarding (closing, and all is sent) | read | the peer ends its stream, or a limit |
    // | `hasUnreadReplies`: the peer does not read the replies of the transformer | write | the peer reads |
    // | `needsInput`, and the transformer is suspended, and input has arrived | empty | the transformer resumes |
    // | `needsInput` otherwise, whatever the reader does | read | the transformer needs no input |
    // | closing: `close` has removed the reader | nothing | all is sent: then it discards |
    // | the reader's pause was reported (`endOfStream` is observed: read until a peek finds a byte) | empty | it resumes |
    // | the reader has not received transformed bytes, or a held end | empty | it receives them |
    // | no reader: the connection peeks for the end (`watchKind`) | read, weak unless something retains it | a byte is found |
    // | no reader, and the stream is `.unread` or over, or bytes are held | nothing | a reader starts |
    //
    // A reader whose pause was not reported yet, or whose disposal the loop has not processed, keeps the interest, and
    // `readChunk` reads nothing. If the loop refuses a watch, the connection tries again in a job (`afterWait`), fails, or
    // asks for the end of the stream at intervals (`HalfClosedCheck`).

    /// The readiness to watch the descriptor for, and whether the watch retains the connection. `nil` means that no watch
    /// is needed.
    private func neededWatch(_ hasSuspendedInput: Bool) -> (interest: Readiness, retains: Bool)? {
        let writing: Readiness = sending.isBlocked ? .write : []
        if phase.isDiscarding { return (writing.union(.read), true) }
        if hasUnreadReplies { return (writing, true) }
        if needsInput, receiving.stream == .open {
            // A suspension stops reading when input arrives, not earlier. Most are over before that, which saves system
            // calls. If it has stopped, it stays stopped.
            let stopsReading = isSuspended && (hasSuspendedInput || watch?.interest.contains(.read) == false)
            return (stopsReading ? writing : writing.union(.read), true)
        }
        let observesEnd = hasStreamEndObservers && !phase.isClosing
        let retains = sending.isBlocked || hasDrainObservers
        switch receiving.watchNeed(of: readerState, holdsBytes: holdsTransformed, observesEnd: observesEnd) {
        case .peek where !phase.isClosing: return (writing.union(.read), retains)
        case .none, .peek: return retains ? (writing, true) : nil
        case .quiet: return (writing, true)
        case .read: return (writing.union(.read), true)
        }
    }

    /// The state of the reader, for `ReceivingState`. The reader is `paused` only after the subscription has reported
    /// its pause.
    var readerState: ReceivingState.ReaderState {
        guard let subscription else { return .none }
        return subscription.isPauseReported ? .paused : .receiving
    }

    /// Whether transformed bytes wait for the reader.
    var holdsTransformed: Bool { isTransformed && extras?.undelivered.isEmpty == false }

    /// Writes if the descriptor is writable and bytes wait, then reads if it is readable.
    ///
    /// After a reset the poller reports the socket as readable and writable. The connection writes first, so the
    /// pending send fails with the reset. `failSending` lets the reader receive the bytes that Linux keeps nevertheless.
    func descriptorBecameReady(for readiness: Readiness) {
        if readiness.contains(.write), sending.isBlocked { flush() }
        guard readiness.contains(.read), isOpen else { return }
        if phase.isDiscarding {
            discard()
        } else if isSuspended {
            updateWatch(hasSuspendedInput: true)
        } else {
            readChunk()
        }
    }
}

extension Connection {
    /// Watches for the peer's end of stream, unless the connection receives. Any thread may call it.
    func watchForEnd() {
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent { return core.value.watchForEnd() }
        loop.execute { [core] in core.value.watchForEnd() }
    }
}

/// The observers that are notified when the descriptor has been closed, such as those of `ended`.
extension ConnectionCore {
    /// Calls `completion` with the reason when the descriptor has been closed, or immediately if it is closed. If
    /// `subscription` has been disposed, `completion` may or may not be called.
    func whenClosed(
        _ subscription: SignalSubscription? = nil,
        _ completion: @escaping @Sendable (Termination<SocketError>) -> Void
    ) {
        if isOpen { return add(CloseObserver(subscription: subscription, completion: completion)) }
        completion(extras?.ending?.closeError.map { error in .failed(error) } ?? .completed)
    }

    /// Adds an observer. Now and then it removes disposed ones, because a connection may outlive any number of them.
    private func add(_ observer: CloseObserver) {
        if extras?.closeObservers.isEmpty ?? true, firstCloseObserver?.isDisposed ?? true {
            // Released last, because its release may run code that calls this method again (law 3).
            let last = firstCloseObserver
            firstCloseObserver = observer
            return withExtendedLifetime(last) {}
        }
        let extras = ensureExtras()
        extras.closeObservers.append(observer)
        if extras.closeObservers.count < Int(extras.closeObserverLimit) { return }
        let all = extras.closeObservers
        extras.closeObservers = all.filter { !$0.isDisposed }
        extras.closeObserverLimit = UInt32(clamping: max(16, 2 * extras.closeObservers.count))
        withExtendedLifetime(all) {}
    }

    /// Notifies all remaining observers after the descriptor has been closed.
    func notifyCloseObservers(_ termination: Termination<SocketError>) {
        reportWritability(Writability.Level.ended)
        notifyStreamEndObservers()
        let (first, others) = takeCloseObservers()
        first?.completion(termination)
        for observer in others { observer.completion(termination) }
        // Done last: the service's subscription is disposed, so it cannot react.
        endDrainObservers()
    }

    /// Notifies the observers, on the loop, that the last reference has been released. `deinit` calls it on any thread.
    func notifyCloseObserversOfRelease() {
        let (first, others) = takeCloseObservers()
        let left = UnsafeTransfer((sends: takeSends(), observers: (first.map { [$0] } ?? []) + others))
        if left.value.sends.isEmpty, left.value.observers.isEmpty { return }
        let error = SocketError(.closed, "the connection with \(peer) was closed: its last reference was released")
        loop.execute {
            for send in left.value.sends { send.fail(error) }
            for observer in left.value.observers { observer.completion(.failed(error)) }
        }
    }

    private func takeCloseObservers() -> (first: CloseObserver?, others: [CloseObserver]) {
        (firstCloseObserver.take(), extras?.closeObservers.takeAll() ?? [])
    }
}

/// The observers of the drain of the connection's server.
///
/// The server sets the mark of the context, then notifies its connections on their loops. Observers are added on the
/// loop too, so an observer either sees the mark or receives the notification.
extension ConnectionCore {
    /// Whether the drain has observers. They keep the watch, so disposing the loop releases them.
    var hasDrainObservers: Bool { extras?.drainObservers.isEmpty == false }

    func observeDrain(_ observer: ConnectionObserver<Void>) {
        if observer.subscription.isDisposed { return }
        guard isOpen else { return observer.emitter.complete() }
        if context.drain?.hasBegun == true { return observer.report() }
        ensureExtras().drainObservers.append(observer)
        updateWatch()
    }

    /// Notifies the observers that the server drains.
    func reportDrain() {
        for observer in takeDrainObservers() { observer.report() }
    }

    /// Completes the observers, because the connection has ended before a drain.
    func endDrainObservers() {
        for observer in takeDrainObservers() { observer.emitter.complete() }
    }

    private func takeDrainObservers() -> [ConnectionObserver<Void>] {
        guard let extras, !extras.drainObservers.isEmpty else { return [] }
        let observers = extras.drainObservers.takeAll()
        updateWatch()
        return observers
    }
}

extension ConnectionObserver<Void> {
    fileprivate func report() {
        emitter.send(())
        emitter.complete()
    }
}
