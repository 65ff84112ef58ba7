import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a datagram socket. It belongs to the loop: every member is called there, but for `deinit`.
///
/// While it receives, or has something to send, it is watched, and the watch keeps it; else nobody but its users does.
final class DatagramCore: LoopBound {
    /// How long what waits may take to go when the socket has been closed.
    private static let patience = Duration.seconds(2)
    /// How long to receive nothing when the kernel has no memory for it.
    private static let exhaustionPause = Duration.milliseconds(50)

    let loop: any LoopScheduler
    let maximumSize: Int
    let watermarks: Watermarks
    let remote: SocketAddress?
    let errors = Subject<SocketError, Never>()
    private let descriptor: DatagramDescriptor
    private let local: SocketAddress
    private var watch: (any DescriptorWatch)?
    private(set) var isOpen = true
    private(set) var isClosing = false
    private var closingTimer: (any Disposable)?
    /// While the kernel has no memory.
    private var exhaustion: (any Disposable)?
    var failure: SocketError?

    // Receiving
    var receiver: Receiver?

    // Sending
    /// What waits, oldest first.
    var queue = FIFO<Outgoing>()
    /// What it counts for.
    var queuedCost = 0
    /// Datagrams accepted, and those that have gone or been refused, since the beginning.
    var acceptedTotal = 0
    var settledTotal = 0
    var isAboveHighWatermark = false
    /// When to try again where the kernel does not say when it takes more.
    var retry: (any Disposable)?
    var retryDelay = Duration.zero
    var heldSources: [any Disposable] = []
    var sources = WrittenSources<SocketError>()
    /// In the order of their positions.
    var waiters: [Waiter] = []

    /// Who receives.
    struct Receiver {
        let emitter: Emitter<Datagram, SocketError>
        let subscription: SignalSubscription
    }

    /// A datagram that the kernel has not taken yet.
    struct Outgoing {
        let datagram: Datagram
        let end: (Termination<SocketError>) -> Void
    }

    /// Who wants to know when everything up to a position has been given to the kernel.
    struct Waiter {
        let position: Int
        let end: @Sendable (Termination<SocketError>) -> Void
    }

    init(
        _ descriptor: DatagramDescriptor,
        _ loop: any LoopScheduler,
        _ local: SocketAddress,
        _ remote: SocketAddress?,
        _ maximumSize: Int,
        _ watermarks: Watermarks
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.local = local
        self.remote = remote
        self.maximumSize = maximumSize
        self.watermarks = watermarks
    }

    deinit {
        // Not watched, or the loop is over and has let go of its watches: the number is ours alone.
        if isOpen { descriptor.close() }
    }

    var socket: SystemSocket { descriptor.socket }

    /// The socket's name in messages.
    var name: String { remote.map { "\(local), connected to \($0)" } ?? local.description }

    var closedError: SocketError {
        failure ?? SocketError(.closed, "the socket at \(name) has been closed here")
    }

    // MARK: Being watched

    /// Watches for what is wanted now; to be called whenever that may have changed.
    func updateWatch() {
        guard isOpen else { return }
        guard receiver != nil || !queue.isEmpty else {
            watch?.dispose()
            watch = nil
            return
        }
        var interest: Readiness = []
        if receiver?.subscription.isToldToWait == false, exhaustion == nil { interest.insert(.read) }
        if !queue.isEmpty, retry == nil { interest.insert(.write) }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                let anchor = WatchAnchor(self)
                watch = try loop.watch(socket.descriptor, for: interest) { ready in anchor.core.ready(ready) }
            }
        } catch {
            // Watching again after a pause takes kernel memory too.
            if watch != nil, SocketError.isExhaustion(error.errno) { return waitForMemory() }
            end(.loop("socket at \(name)", error))
        }
    }

    /// Leaves what has come in the kernel for a while: level-triggered, it would call again at once, and the loop would spin.
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
        guard isOpen, !isClosing else { return }
        let error = closedError
        failure = error
        if queue.isEmpty { return end(error) }
        isClosing = true
        let core = UnsafeTransfer(self)
        closingTimer = loop.schedule(after: Self.patience) { core.value.end(error) }
        let (receiver, sources) = (receiver.take(), sources.takeAll())
        updateWatch()
        receiver?.emitter.fail(error)
        for source in sources { source.end(with: error) }
    }

    /// Everybody is told after everything has been put in order: they may call anything.
    func end(_ error: SocketError) {
        guard isOpen else { return }
        if failure == nil { failure = error }
        release()
        let (receiver, sources, waiters, unsent, held) =
            (receiver.take(), sources.takeAll(), waiters, queue.takeAll(), heldSources)
        self.waiters = []
        heldSources = []
        receiver?.emitter.fail(error)
        for outgoing in unsent { outgoing.end(.failed(error)) }
        for waiter in waiters { waiter.end(.failed(error)) }
        for source in sources { source.end(with: error) }
        for hold in held { hold.dispose() }
        errors.complete()
    }

    func abandon() {
        guard isOpen else { return }
        release()
        // They go when everything is in order: letting go of them may run the code of others.
        let left = (receiver, sources.takeAll(), waiters, queue, heldSources)
        receiver = nil
        waiters = []
        queue = FIFO()
        heldSources = []
        // What observes is held by its own subscription as well, and what is sent by its source.
        left.0?.subscription.dispose()
        for source in left.1 { source.abandon() }
    }

    private func release() {
        isOpen = false
        watch?.dispose()
        watch = nil
        for timer in [retry, closingTimer, exhaustion] { timer?.dispose() }
        (retry, closingTimer, exhaustion) = (nil, nil, nil)
        descriptor.close()
    }
}
