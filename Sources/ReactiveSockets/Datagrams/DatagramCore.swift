// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a datagram socket. Every member except `deinit` is called on the loop.
///
/// While the socket receives or has queued datagrams, it has a watch, which retains this object.
final class DatagramCore: LoopBound, LoopSourceOwner {
    /// The maximum time to send queued datagrams after `close`.
    private static let patience = Duration.seconds(2)
    /// The duration of a pause in receiving if the kernel has no memory.
    private static let exhaustionPause = Duration.milliseconds(50)

    let loop: any LoopScheduler
    let maximumSize: Int
    let watermarks: Watermarks
    let remote: SocketAddress?
    let errors = Subject<SocketError, Never>()
    let bound: BoundSocket
    private var watch: (any DescriptorWatch)?
    private(set) var isOpen = true
    private(set) var isClosing = false
    /// Whether datagrams can still be sent.
    var acceptsDatagrams: Bool { isOpen && !isClosing }
    private var closingTimer: (any Disposable)?
    /// The timer that ends a pause of `exhaustionPause`.
    private var exhaustion: (any Disposable)?
    var failure: SocketError?

    // Receiving
    /// The subscriber of `received`.
    @safe @exclusivity(unchecked)
    var loopSource = LoopSource<Datagram, SocketError>()

    // Sending
    /// Queued datagrams, oldest first.
    var queue = FIFO<Outgoing>()
    /// The cost of the queue, in bytes.
    var queuedCost = 0
    /// The number of datagrams accepted so far, and how many of them have been sent or refused.
    var acceptedTotal = 0
    var settledTotal = 0
    var isAboveHighWatermark = false
    /// The timer of the next retry, if writability does not tell when the kernel has room.
    var retry: (any Disposable)?
    var retryDelay = Duration.zero
    var sources = WrittenSources<SocketError>()
    /// The waiters, sorted by position.
    var waiters: [Waiter] = []

    /// A queued datagram.
    struct Outgoing {
        let datagram: Datagram
        let end: (Termination<SocketError>) -> Void
    }

    /// A callback for when all datagrams up to a position have been sent or refused.
    struct Waiter {
        let position: Int
        let end: @Sendable (Termination<SocketError>) -> Void
    }

    init(
        _ bound: BoundSocket,
        _ loop: any LoopScheduler,
        _ remote: SocketAddress?,
        _ maximumSize: Int,
        _ watermarks: Watermarks
    ) {
        self.bound = bound
        self.loop = loop
        self.remote = remote
        self.maximumSize = maximumSize
        self.watermarks = watermarks.valid
    }

    deinit {
        // No watch refers to the descriptor: either there is none, or the disposed loop has released it.
        guard isOpen else { return }
        bound.close()
        let left = UnsafeTransfer((sources: sources.takeAll(), errors: errors))
        let error = SocketError(.closed, "the socket at \(name) was closed: its last reference was released")
        // The last reference may be released on any thread.
        loop.execute {
            left.value.sources.end(with: error)
            left.value.errors.complete()
        }
    }

    var socket: SystemSocket { bound.socket }

    /// The socket's name in error messages.
    var name: String { remote.map { "\(bound.address), connected to \($0)" } ?? bound.address.description }

    var refusalError: SocketError {
        failure ?? SocketError(.closed, "the socket at \(name) was closed on this side")
    }

    // MARK: Watching

    /// Updates the watch to the current needs. Call it after every change that affects them.
    func updateWatch() {
        guard isOpen else { return }
        guard loopSource.hasSubscriber || !queue.isEmpty else { return stopWatching() }
        var interest: Readiness = []
        if acceptsValues, exhaustion == nil { interest.insert(.read) }
        if !queue.isEmpty, retry == nil { interest.insert(.write) }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                watch = try watchDescriptor(socket.descriptor, for: interest) { core, ready in core.ready(ready) }
            }
        } catch  where error.code == .wrongThread {
            afterWait { core in core.updateWatch() }
        } catch {
            // Adding an interest again can need kernel memory.
            if watch != nil, SocketError.isExhaustion(error.errno) { return waitForMemory() }
            end(.loop("cannot watch the socket at \(name)", error))
        }
    }

    private func stopWatching() { watch.take()?.dispose() }

    /// Pauses receiving for a short time. Otherwise the level-triggered watch would make the loop spin.
    func waitForMemory() {
        guard isOpen, exhaustion == nil else { return }
        let core = UnsafeTransfer(self)
        exhaustion = loop.schedule(after: Self.exhaustionPause) {
            core.value.exhaustion = nil
            core.value.updateWatch()
        }
        updateWatch()
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.write), !queue.isEmpty, retry == nil { flush() }
        if readiness.contains(.read), isOpen { receiveSome() }
    }

    // MARK: Ending

    func close() {
        guard acceptsDatagrams else { return }
        let error = refusalError
        failure = error
        if queue.isEmpty { return end(error) }
        isClosing = true
        let core = UnsafeTransfer(self)
        closingTimer = loop.schedule(after: Self.patience) { core.value.end(error) }
        let sources = sources.takeAll()
        terminate(.failed(error))
        updateWatch()
        sources.end(with: error)
    }

    /// The state is final before the callbacks run, because they may call any member.
    func end(_ error: SocketError) {
        guard isOpen else { return }
        if failure == nil { failure = error }
        release()
        let (sources, waiters, unsent) = (sources.takeAll(), waiters.takeAll(), queue.takeAll())
        terminate(.failed(error))
        for outgoing in unsent { outgoing.end(.failed(error)) }
        for waiter in waiters { waiter.end(.failed(error)) }
        sources.end(with: error)
        errors.complete()
    }

    func abandon() {
        guard isOpen else { return }
        release()
        // Released last, because a release may run user code (law 3).
        let left = (sources.takeAll(), waiters.takeAll(), queue.takeAll())
        // Subscriptions and sources retain these objects too, and must be cancelled.
        abandonSubscriber()
        left.0.abandon()
    }

    private func release() {
        isOpen = false
        stopWatching()
        for timer in [retry, closingTimer, exhaustion] { timer?.dispose() }
        (retry, closingTimer, exhaustion) = (nil, nil, nil)
        bound.close()
    }
}
