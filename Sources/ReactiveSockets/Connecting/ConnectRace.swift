// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// A race of connection attempts (Happy Eyeballs, RFC 8305). The first that succeeds wins. All members are called on
/// the loop.
final class ConnectRace: LoopBound {
    /// The delay before the next attempt if the queue of a Unix server is full. The system does not report when the
    /// queue has room.
    private static let fullQueuePause = Duration.milliseconds(10)

    let loop: any LoopScheduler
    private let settings: ConnectSettings
    private let addresses: [SocketAddress]
    private var next = 0
    private var attempts: [Int: Attempt] = [:]
    private var failures: [Int: SocketError] = [:]
    /// The timers of attempts that wait because a queue is full.
    private var retries: [Int: any Disposable] = [:]
    private var emitter: Emitter<Connection, SocketError>?
    private var attemptTimer: (any Disposable)?
    private var deadline: (any Disposable)?
    private var loopEnd: (any Disposable)?

    private struct Attempt {
        let socket: ConnectingSocket
        /// `nil` until the loop can watch the descriptor.
        var watch: (any DescriptorWatch)?
    }

    init(
        _ addresses: [SocketAddress],
        _ loop: any LoopScheduler,
        _ settings: ConnectSettings,
        _ emitter: Emitter<Connection, SocketError>
    ) {
        self.addresses = Self.alternating(addresses)
        self.loop = loop
        self.settings = settings
        self.emitter = emitter
    }

    /// Sorts addresses so that the families alternate, beginning with the first address's family. Each family keeps its
    /// order.
    static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let family = addresses.first?.family else { return [] }
        let families = [addresses.filter { $0.family == family }, addresses.filter { $0.family != family }]
        return addresses.indices.flatMap { index in families.filter { index < $0.count }.map { $0[index] } }
    }

    func start() {
        guard emitter != nil else { return }
        let race = UnsafeTransfer(self)
        let timeout = settings.timeout
        loopEnd = abandonWithLoop()
        deadline = loop.schedule(after: timeout) { race.value.runOut(timeout) }
        tryNext()
    }

    /// Closes all sockets without notifying the subscriber.
    func cancel() {
        // Taken first, because its release may run user code (law 3).
        _ = emitter.take()
        release()
    }

    func abandon() { cancel() }

    // MARK: Attempts

    /// Starts the next attempt. If that fails immediately, starts the one after it, and so on.
    private func tryNext() {
        attemptTimer?.dispose()
        attemptTimer = nil
        while emitter != nil, next < addresses.count {
            let number = next
            next += 1
            attempt(number)
            // The attempt has succeeded, continues, or waits because the server's queue is full.
            if failures[number] == nil { return scheduleNextAttempt() }
        }
        failIfAllHave()
    }

    private func scheduleNextAttempt() {
        guard emitter != nil, next < addresses.count else { return }
        let race = UnsafeTransfer(self)
        attemptTimer = loop.schedule(after: settings.attemptDelay) { race.value.tryNext() }
    }

    private func attempt(_ number: Int) {
        let address = addresses[number]
        let socket: ConnectingSocket
        do {
            socket = try ConnectingSocket(to: address, settings)
        } catch {
            failures[number] = error
            return
        }
        switch socket.socket.connect(address) {
        case 0: succeed(socket, address)
        // The attempt continues in the kernel.
        case EINPROGRESS:
            attempts[number] = Attempt(socket: socket)
            watch(number)
        // The queue of a Unix socket is full.
        case EAGAIN:
            socket.close()
            tryAgain(number)
        case let code:
            socket.close()
            failures[number] = .system("cannot connect to \(address)", code)
        }
    }

    private func watch(_ number: Int) {
        guard let socket = attempts[number]?.socket else { return }
        let race = UnsafeTransfer(self)
        do {
            let watch = try loop.watch(socket.socket.descriptor, for: .write) { _ in race.value.ready(number) }
            attempts[number]?.watch = watch
        } catch  where error.code == .wrongThread {
            afterWait { race in
                race.watch(number)
                if race.failures[number] != nil { race.tryNext() }
            }
        } catch {
            attempts[number] = nil
            socket.close()
            failures[number] = .loop("cannot connect to \(addresses[number])", error)
        }
    }

    private func tryAgain(_ number: Int) {
        let race = UnsafeTransfer(self)
        retries[number] = loop.schedule(after: Self.fullQueuePause) {
            let race = race.value
            race.retries[number] = nil
            race.attempt(number)
            if race.failures[number] != nil { race.tryNext() }
        }
    }

    private func ready(_ number: Int) {
        guard let attempt = attempts[number] else { return }
        let (address, socket) = (addresses[number], attempt.socket.socket)
        let code = socket.pendingError
        // The watch may report readiness too early (rule N2). The socket is connected only if it has a peer address.
        let peer = socket.remoteAddress
        if code == 0, peer == nil { return }
        attempts[number] = nil
        attempt.watch?.dispose()
        // If no socket listens on a local port, the system may pick this port for the socket and connect it to itself.
        let isItself = peer != nil && address.family != .unix && peer == socket.localAddress
        if code == 0, !isItself { return succeed(attempt.socket, address) }
        attempt.socket.close()
        let reason = isItself ? ECONNREFUSED : code
        failures[number] = .system("cannot connect to \(address)", reason)
        tryNext()
    }

    // MARK: Ending

    private func succeed(_ socket: ConnectingSocket, _ address: SocketAddress) {
        let emitter = emitter.take()
        release()
        let connection = Connection(
            socket.socket,
            in: ConnectionContext(loop, settings.watermarks, socket.socket.localAddress),
            to: address,
            transformer: settings.transformer?(),
            preface: settings.proxyHeader?.encoded
        )
        if let file = socket.file { connection.core.value.own(file) }
        emitter?.send(connection)
        emitter?.complete()
    }

    private func failIfAllHave() {
        guard emitter != nil, failures.count == addresses.count else { return }
        let reasons = addresses.indices.compactMap { failures[$0] }
        guard let first = reasons.first else {
            return fail(SocketError(.unknownHost, "cannot connect: the list of addresses is empty"))
        }
        if reasons.count == 1 { return fail(first) }
        let texts = reasons.map(\.message).joined(separator: "; ")
        fail(SocketError(first.code, errno: first.errno, texts))
    }

    private func runOut(_ timeout: Duration) {
        let targets = addresses.map(\.description).joined(separator: ", ")
        fail(.system("cannot connect to \(targets) within \(timeout)", ETIMEDOUT))
    }

    private func fail(_ error: SocketError) {
        let emitter = emitter.take()
        release()
        emitter?.fail(error)
    }

    private func release() {
        for timer in [deadline, attemptTimer, loopEnd] { timer?.dispose() }
        for timer in retries.values { timer.dispose() }
        (deadline, attemptTimer, loopEnd) = (nil, nil, nil)
        retries = [:]
        let left = attempts
        attempts = [:]
        for attempt in left.values {
            attempt.watch?.dispose()
            attempt.socket.close()
        }
    }
}
