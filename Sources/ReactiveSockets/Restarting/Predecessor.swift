// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveSupport

/// The process that this process replaces, seen from a thread that may wait. It owns its descriptors.
///
/// Safe: the system's functions receive sized memory, and keep no pointer.
final class Predecessor: Sendable {
    private let socket: SystemSocket
    private let address: SocketAddress
    /// The socket at which this process can hand over in turn. -1 after it was taken.
    private let handover: Lock<Int32>
    private let progress = Lock(Progress.offered([]))

    private enum Progress: Sendable {
        /// This process has the sockets. The closures run after the acknowledgement.
        case offered([@Sendable () -> Void])
        case acknowledged
    }

    private init(_ socket: SystemSocket, _ address: SocketAddress, _ handover: Int32) {
        self.socket = socket
        self.address = address
        self.handover = Lock(handover)
    }

    deinit {
        socket.close()
        if let left = takeHandover() { close(left) }
    }

    /// Takes the socket of the ``Handover``.
    func takeHandover() -> Int32? {
        handover.withLock { handover in
            defer { handover = -1 }
            return handover < 0 ? nil : handover
        }
    }

    /// Calls a closure when this process has acknowledged. Any thread may call it.
    func whenAcknowledged(_ action: @escaping @Sendable () -> Void) {
        let isDue = progress.withLock { progress in
            guard case .offered(let actions) = progress else { return true }
            progress = .offered(actions + [action])
            return false
        }
        if isDue { action() }
    }

    /// Asks the process at an address for its sockets. Blocks for at most `limit`.
    ///
    /// - Returns: `nil` if no process listens there.
    static func ask(
        at address: SocketAddress,
        within limit: Duration
    ) throws(SocketError) -> (Predecessor, [InheritedSockets.Entry])? {
        let operation = "cannot take over the sockets of the process at \(address)"
        let socket = try SystemSocket.open(.stream, .unix, [], for: operation)
        var isKept = false
        defer { if !isKept { socket.close() } }
        switch socket.connect(address) {
        case 0: break
        case ENOENT, ECONNREFUSED: return nil
        case let code: throw SocketError.system(operation, code)
        }
        var user: UInt32 = 0
        let code = unsafe reactive_peer_user(socket.descriptor, &user)
        if code != 0 { throw SocketError.system(operation, code) }
        guard user == geteuid() else {
            throw SocketError(
                .permissionDenied,
                "\(operation): it belongs to user \(user), and this one to \(geteuid())"
            )
        }
        let wait = BlockingExchange(socket, operation, limit)
        try wait.send(HandoverFrame(.request))
        let (frame, descriptors) = try wait.receive()
        do throws(SocketError) {
            let (entries, handover) = try sort(frame, descriptors)
            isKept = true
            return (Predecessor(socket, address, handover), entries)
        } catch {
            for descriptor in descriptors { close(descriptor) }
            throw error
        }
    }

    private static func sort(
        _ frame: HandoverFrame,
        _ descriptors: [Int32]
    ) throws(SocketError) -> (entries: [InheritedSockets.Entry], handover: Int32) {
        guard frame.kind == .offer else { throw HandoverFrame.malformed("the answer is not an offer") }
        let names = try frame.names()
        guard names.count == descriptors.count else {
            throw HandoverFrame.malformed("\(names.count) names arrived with \(descriptors.count) sockets")
        }
        guard let last = names.last, last.purpose == .handover, names.dropLast().allSatisfy({ $0.purpose == .service })
        else { throw HandoverFrame.malformed("the offer contains no socket for the next hand-over") }
        let entries = zip(names, descriptors).dropLast().map { InheritedSockets.Entry(name: $0.name, descriptor: $1) }
        if let wrong = entries.first(where: { $0.kind == .other }) {
            throw SocketError(
                .badDescriptor,
                "cannot take over the socket \"\(wrong.name)\": it neither listens nor receives datagrams"
            )
        }
        return (entries, descriptors[descriptors.count - 1])
    }

    /// Tells the process that this one serves, and waits until it accepts no more peers. Blocks for at most `limit`.
    func acknowledge(within limit: Duration) throws(SocketError) {
        let wait = BlockingExchange(socket, "cannot acknowledge the sockets of the process at \(address)", limit)
        try wait.send(HandoverFrame(.ready))
        let (frame, descriptors) = try wait.receive()
        for descriptor in descriptors { close(descriptor) }
        guard frame.kind == .released else { throw HandoverFrame.malformed("the answer is not a release") }
        let actions = progress.withLock { progress -> [@Sendable () -> Void] in
            defer { progress = .acknowledged }
            if case .offered(let actions) = progress { return actions }
            return []
        }
        for action in actions { action() }
    }
}
