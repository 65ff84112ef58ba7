import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state of a listener. It belongs to the loop: every member is called there, but for `deinit`.
final class ListenerCore {
    private static let acceptsPerTurn = 64
    /// How long to leave the queue alone when there is no descriptor to accept with.
    private static let exhaustionPause = Duration.milliseconds(50)

    private let socket: SystemSocket
    private let loop: any LoopScheduler
    private let watermarks: Watermarks
    private let name: String
    private var isOpen = true
    private var watch: (any DescriptorWatch)?
    private var observer: (emitter: Emitter<Connection, SocketError>, subscription: SignalSubscription)?
    private var retry: (any Disposable)?

    init(_ socket: SystemSocket, _ loop: any LoopScheduler, _ watermarks: Watermarks, name: String) {
        self.socket = socket
        self.loop = loop
        self.watermarks = watermarks
        self.name = name
    }

    deinit {
        if isOpen { socket.close() }
    }

    func start(_ emitter: Emitter<Connection, SocketError>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        guard isOpen else { return emitter.complete() }
        if observer != nil {
            return emitter.fail(SocketError(.alreadyReceiving, "somebody accepts from \(name) already"))
        }
        observer = (emitter, subscription)
        updateWatch()
    }

    func update(_ subscription: SignalSubscription) {
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
        socket.close()
        let last = observer.take()
        last?.emitter.complete()
    }

    private func stopWatching() {
        watch?.dispose()
        watch = nil
        retry?.dispose()
        retry = nil
    }

    private func updateWatch() {
        guard isOpen, let observer else { return stopWatching() }
        let interest: Readiness = observer.subscription.isPaused || retry != nil ? [] : .read
        do {
            if let watch { return try watch.setInterest(interest) }
            let core = Confined(self)
            watch = try loop.watch(socket.descriptor, for: interest) { _ in core.value.acceptSome() }
        } catch {
            let failed = self.observer.take()
            stopWatching()
            failed?.emitter.fail(.loop("listening on \(name)", error))
        }
    }

    private func acceptSome() {
        for _ in 0..<Self.acceptsPerTurn {
            guard isOpen, let observer, !observer.subscription.isPaused else { return updateWatch() }
            switch socket.accept() {
            case .count(let descriptor):
                let accepted = SystemSocket(descriptor: Int32(descriptor))
                accepted.setNoDelay()
                observer.emitter.send(Connection(accepted, on: loop, watermarks: watermarks))
            case .wouldBlock: return
            case .failed(let code):
                if SocketError.isPassing(code) { continue }
                if SocketError.isExhaustion(code) { return waitForDescriptors() }
                let failed = self.observer.take()
                stopWatching()
                failed?.emitter.fail(.system("accepting on \(name)", code))
                return
            }
        }
    }

    // Level-triggered, the queue would call again at once, and the loop would spin for want of a descriptor.
    private func waitForDescriptors() {
        let core = Confined(self)
        retry = loop.schedule(after: Self.exhaustionPause) {
            core.value.retry = nil
            core.value.updateWatch()
        }
        updateWatch()
    }
}
