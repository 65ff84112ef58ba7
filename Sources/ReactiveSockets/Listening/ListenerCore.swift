import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a listener. It belongs to the loop: every member is called there, but for `deinit`.
final class ListenerCore: LoopBound {
    private static let acceptsPerTurn = 64
    /// How long to leave the queue alone when there is no descriptor to accept with.
    private static let exhaustionPause = Duration.milliseconds(50)
    private static let contextLimit = 256

    let listening: ListeningSocket
    let loop: any LoopScheduler
    private let template: Template
    private let address: SocketAddress
    private var isOpen = true
    private var watch: (any DescriptorWatch)?
    private var observer: Observation?
    private var retry: (any Disposable)?
    /// One for each loop that its connections live on, and address of this end.
    private var contexts: [ConnectionContext] = []

    /// What its connections have in common.
    struct Template {
        let watermarks: Watermarks
        let transformer: (@Sendable () -> any ConnectionTransformer)?
        /// Where the next one is to live; nil for the listener's own loop.
        var nextLoop: (@Sendable () -> any LoopScheduler)?
    }

    /// Who takes the connections.
    private struct Observation {
        let emitter: Emitter<Connection, SocketError>
        let subscription: SignalSubscription
    }

    init(_ listening: ListeningSocket, _ loop: any LoopScheduler, _ template: Template, _ address: SocketAddress) {
        self.listening = listening
        self.loop = loop
        self.template = template
        self.address = address
    }

    deinit {
        if isOpen { listening.close() }
    }

    func start(_ emitter: Emitter<Connection, SocketError>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        guard isOpen else { return emitter.complete() }
        if observer != nil {
            return emitter.fail(SocketError(.alreadyReceiving, "somebody accepts from \(address) already"))
        }
        observer = Observation(emitter: emitter, subscription: subscription)
        updateWatch()
    }

    func flowChanged(_ subscription: SignalSubscription) {
        if observer?.subscription === subscription { updateWatch() }
    }

    func stop(_ subscription: SignalSubscription) {
        guard observer?.subscription === subscription else { return }
        observer = nil
        updateWatch()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        stopWatching()
        listening.close()
        let last = observer.take()
        last?.emitter.complete()
    }

    /// Closes one that nobody has observed yet.
    func release() {
        isOpen = false
        listening.close()
    }

    func abandon() {
        guard isOpen else { return }
        isOpen = false
        stopWatching()
        listening.close()
        // It goes when everything is in order: letting go of it may run the code of others.
        let last = observer.take()
        last?.subscription.dispose()
    }

    private func stopWatching() {
        watch?.dispose()
        watch = nil
        retry?.dispose()
        retry = nil
    }

    private func updateWatch() {
        guard isOpen, let observer else { return stopWatching() }
        let isPaused = observer.subscription.isPauseReported
        let interest: Readiness = isPaused || retry != nil ? [] : .read
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
                return
            }
            let anchor = WatchAnchor(self)
            watch = try loop.watch(listening.socket.descriptor, for: interest) { _ in anchor.core.acceptSome() }
        } catch {
            // Listening again after a pause takes kernel memory, and there may be none yet (rule E4).
            if watch != nil, SocketError.isExhaustion(error.errno) { return waitForDescriptors() }
            let failed = self.observer.take()
            stopWatching()
            failed?.emitter.fail(.loop("listening on \(address)", error))
        }
    }

    private func acceptSome() {
        for _ in 0..<Self.acceptsPerTurn {
            // A pause that has not been said yet is said soon, and silences the watch.
            guard isOpen, let observer else { return }
            if observer.subscription.isPaused { return }
            let (outcome, peer) = listening.socket.accept()
            switch outcome {
            case .count(let descriptor):
                observer.emitter.send(connection(SystemSocket(descriptor: Int32(descriptor)), peer))
            case .wouldBlock: return
            case .failed(let code):
                if SocketError.isPassing(code) { continue }
                if SocketError.isExhaustion(code) { return waitForDescriptors() }
                let failed = self.observer.take()
                stopWatching()
                failed?.emitter.fail(.system("accepting on \(address)", code))
                return
            }
        }
    }

    private func connection(_ accepted: SystemSocket, _ peer: SocketAddress?) -> Connection {
        Connection(
            accepted,
            in: context(of: accepted, on: template.nextLoop?() ?? loop),
            to: peer,
            transformer: template.transformer?()
        )
    }

    private func context(of accepted: SystemSocket, on loop: any LoopScheduler) -> ConnectionContext {
        // The peer's end of a wildcard address is only known to the system.
        let local = address.isWildcard ? accepted.localAddress : address
        if let context = contexts.last(where: { $0.loop === loop && $0.address == local }) { return context }
        let context = ConnectionContext(loop, template.watermarks, local)
        // A machine has few addresses, but may have a whole network of them.
        if contexts.count >= Self.contextLimit { contexts.removeFirst() }
        contexts.append(context)
        return context
    }

    // Level-triggered, the queue would call again at once, and the loop would spin for want of a descriptor.
    private func waitForDescriptors() {
        let core = UnsafeTransfer(self)
        retry = loop.schedule(after: Self.exhaustionPause) {
            core.value.retry = nil
            core.value.updateWatch()
        }
        updateWatch()
    }
}
