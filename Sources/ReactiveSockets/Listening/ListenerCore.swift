// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a listener. Every member except `deinit` and `isOpen` is called on the loop.
final class ListenerCore: LoopBound, LoopSourceOwner {
    private static let acceptsPerTurn = 64
    /// The delay before the next attempt to accept if no descriptor is free.
    private static let exhaustionPause = Duration.milliseconds(50)
    private static let contextLimit = 256

    let bound: BoundSocket
    let loop: any LoopScheduler
    let template: Template
    /// The peers whose PROXY headers are read. `nil` if the listener trusts no proxies.
    private(set) var arrivals: ProxiedArrivals?
    /// Atomic, because any thread may describe the listener.
    private let openness = Atomic<Bool>(true)
    /// Whether the socket is open. Only the loop sets it. Any thread may read it.
    private(set) var isOpen: Bool {
        get { openness.load(ordering: .relaxed) }
        set { openness.store(newValue, ordering: .relaxed) }
    }
    /// Called when the last peer whose header was being read has been delivered or rejected. `nil` if the listener does
    /// not wait for such peers before it closes.
    private(set) var retirement: (@Sendable () -> Void)?
    private var watch: (any DescriptorWatch)?
    /// The subscriber of `connections`.
    @safe @exclusivity(unchecked)
    var loopSource = LoopSource<Connection, SocketError>()
    private var retry: (any Disposable)?
    /// One context for each loop and local address of the accepted connections.
    private var contexts: [ConnectionContext] = []

    /// The settings of each connection.
    struct Template {
        let watermarks: Watermarks
        let transformer: (@Sendable () -> any ConnectionTransformer)?
        /// Returns the loop of the next connection. `nil` means the listener's own loop.
        var nextLoop: (@Sendable () -> any LoopScheduler)?
        /// Records whether the server drains, for ``Connection/draining``. `nil` means that there is no server.
        var drain: DrainMark?
        /// The proxies whose headers name the clients. `nil` means that peers are the clients.
        var proxies: TrustedProxies?
        /// The maximum number of accepted peers whose connections have not been delivered, because their PROXY headers
        /// are incomplete or the subscriber is paused. Further peers wait in the kernel's queue.
        var arrivalLimit = 1024
    }

    init(_ bound: BoundSocket, _ loop: any LoopScheduler, _ template: Template) {
        self.bound = bound
        self.loop = loop
        self.template = template
        if let proxies = template.proxies { arrivals = ProxiedArrivals(proxies, template.arrivalLimit, self) }
    }

    deinit {
        if isOpen { bound.close() }
        // The last reference may be released on any thread.
        guard let arrivals else { return }
        let left = UnsafeTransfer(arrivals)
        loop.runOrExecute { left.value.drop() }
    }

    var alreadyReceiving: SocketError {
        SocketError(.alreadyReceiving, "cannot accept on \(bound.address): `connections` already has a subscriber")
    }

    func demandChanged() {
        updateWatch()
        scheduleArrivals()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        stopWatching()
        bound.close()
        let retirement = retirement.take()
        terminate(.completed)
        arrivals?.close()
        retirement?()
    }

    func abandon() {
        guard isOpen else { return }
        isOpen = false
        stopWatching()
        bound.close()
        arrivals?.drop()
        let retirement = retirement.take()
        abandonSubscriber()
        retirement?()
    }

    /// Closes the socket, but delivers peers that have been accepted. Then calls `closed`.
    func retire(_ closed: @escaping @Sendable () -> Void) {
        guard isOpen, loopSource.hasSubscriber, let arrivals, !arrivals.isEmpty else {
            close()
            return closed()
        }
        retirement = closed
        stopWatching()
        bound.close()
    }

    private func stopWatching() {
        watch?.dispose()
        retry?.dispose()
        (watch, retry) = (nil, nil)
    }

    func updateWatch() {
        guard isOpen, retirement == nil, loopSource.hasSubscriber else { return stopWatching() }
        let isFull = arrivals?.isFull ?? false
        let interest: Readiness = !acceptsValues || isFull || retry != nil ? [] : .read
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
                return
            }
            watch = try watchDescriptor(bound.socket.descriptor, for: interest) { core, _ in core.acceptSome() }
        } catch  where error.code == .wrongThread {
            afterWait { core in core.updateWatch() }
        } catch {
            // Adding an interest again can need kernel memory (rule E4).
            if watch != nil, SocketError.isExhaustion(error.errno) { return waitForDescriptors() }
            stopWatching()
            failSubscriber(.loop("cannot accept on \(bound.address)", error))
        }
    }

    private func acceptSome() {
        for _ in 0..<Self.acceptsPerTurn {
            // A service that was just called may have retired the socket.
            guard isOpen, retirement == nil else { return }
            // Not every pause is reported: one that follows a resume immediately may cancel it.
            if !acceptsValues { return updateWatch() }
            if let arrivals, arrivals.isFull { return updateWatch() }
            let (outcome, peer) = bound.socket.accept()
            switch outcome {
            case .count(let descriptor):
                let socket = SystemSocket(descriptor: Int32(descriptor))
                if let arrivals {
                    arrivals.add(socket, peer)
                } else {
                    deliver(connection(socket, peer))
                }
            case .wouldBlock: return
            case .failed(let code):
                if SocketError.isPassing(code) { continue }
                if SocketError.isExhaustion(code) { return waitForDescriptors() }
                stopWatching()
                return failSubscriber(.system("cannot accept on \(bound.address)", code))
            }
        }
    }

    /// The connection of a peer, with the addresses of its header, if it has sent one.
    func connection(_ accepted: SystemSocket, _ peer: SocketAddress?, _ header: ProxyHeader? = nil) -> Connection {
        var context = context(of: accepted, on: template.nextLoop?() ?? loop)
        if let header {
            let proxy = ConnectionProxy(address: peer, localAddress: context.address, header: header)
            context = ConnectionContext(sharing: context, proxy)
        }
        return Connection(accepted, in: context, to: header?.source ?? peer, transformer: template.transformer?())
    }

    private func context(of accepted: SystemSocket, on loop: any LoopScheduler) -> ConnectionContext {
        // If the listener has a wildcard address, only the system knows to which local address a peer has connected.
        let local = bound.address.isWildcard ? accepted.localAddress : bound.address
        if let context = contexts.last(where: { $0.loop === loop && $0.address == local }) { return context }
        let context = ConnectionContext(loop, template.watermarks, local, template.drain)
        // A machine usually has few local addresses, but all addresses of a network may be local.
        if contexts.count >= Self.contextLimit { contexts.removeFirst() }
        contexts.append(context)
        return context
    }

    // Pauses accepting for a short time. Otherwise the level-triggered watch would make the loop spin.
    private func waitForDescriptors() {
        guard retry == nil else { return }
        let core = UnsafeTransfer(self)
        retry = loop.schedule(after: Self.exhaustionPause) {
            core.value.retry = nil
            core.value.updateWatch()
        }
        updateWatch()
    }
}
