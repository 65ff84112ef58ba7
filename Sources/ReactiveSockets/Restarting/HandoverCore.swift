// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a hand-over in the old process. Every member is called on the loop, unless its comment says otherwise.
final class HandoverCore: LoopBound {
    private enum State {
        case waiting
        /// A process has connected. It must send its request or, when it has received the sockets, acknowledge.
        case talking(Connection, isOffered: Bool, stream: [UInt8])
        case handedOver
        case closed
    }

    /// How long a process may take to send its request.
    private static let requestLimit = Duration.seconds(5)
    /// How long it may take to read the last message.
    private static let closeLimit = Duration.seconds(5)

    let completed = Subject<Never, Never>()
    let failures = Subject<SocketError, Never>()
    private var state = State.waiting
    private let sockets: [HandoverSocket]
    private let listener: Listener
    let loop: any LoopScheduler
    private let patience: Duration
    private let outcome = Atomic<Bool>(false)
    private var loopEnd: ScopedDisposable?

    init(_ sockets: [HandoverSocket], _ listener: Listener, _ loop: any LoopScheduler, _ patience: Duration) {
        self.sockets = sockets
        self.listener = listener
        self.loop = loop
        self.patience = patience
    }

    /// Withdraws the offer, because the disposed loop closes the connection without a notification.
    func abandon() {
        let last = state
        state = .closed
        if case .talking(_, isOffered: true, _) = last { withdraw() }
    }

    /// Any thread may read it.
    var hasHandedOver: Bool { outcome.load(ordering: .acquiring) }

    func start() {
        let core = UnsafeTransfer(self)
        // Before the subscription, which retains this object: a loop abandons in the order of registration.
        loopEnd = ScopedDisposable(abandonWithLoop())
        listener.connections.subscribe(
            onValue: { core.value.arrived($0) },
            onTermination: { termination in
                if case .failed(let error) = termination { core.value.failures.send(error) }
            }
        )
    }

    func close() {
        switch state {
        case .handedOver, .closed: return
        case .waiting: stop(.closed)
        case .talking(let connection, let isOffered, _):
            // First, so that the end of the connection is no failure.
            stop(.closed)
            connection.abort()
            if isOffered { withdraw() }
        }
        complete()
    }

    private func stop(_ last: State) {
        state = last
        loopEnd = nil
        listener.close()
    }

    private func complete() {
        failures.complete()
        completed.complete()
    }

    // MARK: The next process

    private func arrived(_ connection: Connection) {
        guard case .waiting = state else { return connection.abort() }
        var user: UInt32 = 0
        let code = unsafe reactive_peer_user(connection.core.value.socket.descriptor, &user)
        guard code == 0, user == geteuid() else {
            connection.abort()
            let reason =
                code == 0 ? "it belongs to user \(user)" : SocketError.system("its user is unknown", code).message
            return failures.send(SocketError(.permissionDenied, "a process was refused to take over: \(reason)"))
        }
        state = .talking(connection, isOffered: false, stream: [])
        connection.setTimeouts(ConnectionTimeouts(lifetime: Self.requestLimit))
        let core = UnsafeTransfer(self)
        connection.received.subscribe(
            onValue: { core.value.received($0, on: connection) },
            onTermination: { core.value.ended($0, connection) }
        )
    }

    private func received(_ bytes: Bytes, on connection: Connection) {
        guard case .talking(let current, let isOffered, var stream) = state, current === connection else { return }
        do throws(SocketError) {
            stream += bytes
            state = .talking(connection, isOffered: isOffered, stream: stream)
            guard let frame = try HandoverFrame.parse(stream) else { return }
            if isOffered {
                guard frame.kind == .ready else { throw HandoverFrame.malformed("the second message is not ready") }
                // A process that has given up its wait has closed the connection behind its message.
                guard !connection.hasUnreadInput else {
                    throw SocketError(.reset, "the next process has ended before it received the answer")
                }
                handOver(to: connection)
            } else {
                guard frame.kind == .request, stream.count == HandoverFrame.headCount else {
                    throw HandoverFrame.malformed("the first message is not a request")
                }
                try offer(to: connection)
                state = .talking(connection, isOffered: true, stream: [])
                connection.setTimeouts(ConnectionTimeouts(lifetime: patience))
            }
        } catch {
            giveUp(error, connection)
        }
    }

    private func offer(to connection: Connection) throws(SocketError) {
        // Before the duplicates: this process may drain from now on, and must leave everything to the next one.
        for socket in sockets { socket.source.offer() }
        var isOffered = false
        defer { if !isOffered { withdraw() } }
        var (names, descriptors): ([HandoverFrame.Name], [Int32]) = ([], [])
        defer { for descriptor in descriptors { Glibc.close(descriptor) } }
        for socket in sockets {
            let duplicates = try socket.source.duplicates()
            descriptors += duplicates
            names += duplicates.map { _ in (.service, socket.name) }
        }
        descriptors.append(try listener.bound.duplicate())
        names.append((.handover, "handover"))
        guard names.count <= HandoverFrame.socketLimit else {
            throw HandoverFrame.malformed(
                "\(names.count) sockets are too many, and \(HandoverFrame.socketLimit) are allowed"
            )
        }
        let message = HandoverFrame(offering: names).encoded
        let socket = connection.core.value.socket.descriptor
        let result = unsafe message.withUnsafeBytes { memory in
            unsafe reactive_send_descriptors(socket, memory.baseAddress!, memory.count, descriptors, descriptors.count)
        }
        // The send buffer is empty, and larger than the longest message.
        guard result == message.count else {
            throw SocketError.system("cannot pass the sockets on", result < 0 ? errno : EMSGSIZE)
        }
        isOffered = true
    }

    private func withdraw() { for socket in sockets { socket.source.withdraw() } }

    private func handOver(to connection: Connection) {
        for socket in sockets { socket.source.release() }
        listener.release()
        outcome.store(true, ordering: .releasing)
        // The next process may now be replaced in turn, so this one must not answer at the address any more.
        stop(.handedOver)
        connection.send(Bytes(HandoverFrame(.released).encoded))
        connection.close(within: Self.closeLimit)
        // In a later job, when the message has been sent: an observer may end this process.
        let core = UnsafeTransfer(self)
        loop.execute { core.value.complete() }
    }

    private func ended(_ termination: Termination<SocketError>, _ connection: Connection) {
        switch termination {
        case .completed:
            giveUp(SocketError(.reset, "the next process has ended before it acknowledged the sockets"), connection)
        case .failed(let error): giveUp(error, connection)
        }
    }

    private func giveUp(_ error: SocketError, _ connection: Connection) {
        guard case .talking(let current, let isOffered, _) = state, current === connection else { return }
        if isOffered { withdraw() }
        state = .waiting
        connection.abort()
        failures.send(error)
    }
}
