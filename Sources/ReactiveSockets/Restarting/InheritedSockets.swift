// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

/// Sockets that this process has received from a service manager or from the process that it replaces.
///
/// ```swift
/// if let sockets = try InheritedSockets.activated() {
///     let server = try Server(adopting: sockets.take("echo"), loops: loops, service: service)
/// ```
///
/// The object owns the descriptors until they are taken. ``close()``, and releasing the object, close the others. Any
/// thread may use every member.
public final class InheritedSockets: Sendable {
    /// One descriptor and its name.
    struct Entry: Sendable {
        enum Kind {
            /// A stream socket that listens.
            case listener
            case datagrams
            /// Neither a server nor a datagram socket can adopt it.
            case other
        }

        let name: String
        let descriptor: Int32

        var kind: Kind {
            let socket = SystemSocket(descriptor: descriptor)
            switch try? socket.value(SOL_SOCKET, SO_TYPE).get() {
            case Int32(SOCK_DGRAM.rawValue): return .datagrams
            case Int32(SOCK_STREAM.rawValue) where (try? socket.value(SOL_SOCKET, SO_ACCEPTCONN).get()) == 1:
                return .listener
            default: return .other
            }
        }
    }

    private let entries: Lock<[Entry]>
    /// The connection with the process that has passed the sockets. `nil` if they are those of a service manager.
    let predecessor: Predecessor?

    init(_ entries: [Entry], from predecessor: Predecessor? = nil) {
        self.entries = Lock(entries)
        self.predecessor = predecessor
    }

    deinit { close() }

    /// The names of the sockets that have not been taken, in order. A name occurs once for each of its sockets.
    public var names: [String] { entries.withLock { entries in entries.map(\.name) } }

    /// Takes the sockets with a name.
    ///
    /// - Parameter name: The name. A service manager takes it from its configuration (`FileDescriptorName=`).
    /// - Returns: The descriptors in order, at least one, which the caller now owns.
    /// - Throws: `badDescriptor` if no socket with this name is left. The error lists ``names``.
    public func take(_ name: String) throws(SocketError) -> [Int32] {
        try takeSome(or: "none has the name \"\(name)\"") { $0.name == name }
    }

    /// Takes all sockets that listen.
    ///
    /// - Returns: The descriptors in order, at least one, which the caller now owns.
    /// - Throws: `badDescriptor` if no socket that listens is left. The error lists ``names``.
    public func takeListening() throws(SocketError) -> [Int32] {
        try takeSome(or: "none listens") { $0.kind == .listener }
    }

    private func takeSome(or obstacle: String, _ isTaken: (Entry) -> Bool) throws(SocketError) -> [Int32] {
        let taken = take(isTaken)
        if !taken.isEmpty { return taken }
        let names = Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let rest = names.isEmpty ? "none is left" : "\(obstacle), and these are left: \(names)"
        throw SocketError(.badDescriptor, "cannot take an inherited socket: \(rest)")
    }

    /// Closes the sockets that have not been taken. Later calls do nothing.
    public func close() {
        for descriptor in take({ _ in true }) { Glibc.close(descriptor) }
    }

    private func take(_ isTaken: (Entry) -> Bool) -> [Int32] {
        entries.withLock { entries in
            let taken = entries.filter(isTaken)
            entries.removeAll(where: isTaken)
            return taken.map(\.descriptor)
        }
    }

    /// Whether a text may be the name of a socket: 1 to 255 printable ASCII characters without `:`, as for systemd.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        (1...255).contains(text.count) && text.allSatisfy { (32...126).contains($0) && $0 != UInt8(ascii: ":") }
    }
}
