// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// Passes the listening sockets of this process to the process that replaces it, so that no peer is refused.
///
/// ```swift
/// let handover = try Handover(of: [.server("echo", server)], at: path, loop: loop, after: inherited)
/// handover.completed.subscribe(onTermination: { _ in server.drain(within: .seconds(30)) })
/// try inherited?.acknowledge()
/// ```
///
/// The next process connects to a Unix socket, receives the descriptors (`SCM_RIGHTS`, unix(7)), serves them, and
/// acknowledges. Only then does this process stop accepting. If the next process ends before, or does not acknowledge in
/// time, this process continues to serve, and another process may try. Only processes of the same effective user are
/// accepted. One process at a time can take over. If this process drains for another reason, close the hand-over first:
/// a process that asks for closed sockets is refused. If the drain begins later, while a process has the sockets and has not
/// acknowledged them, that process can still take over.
///
/// Any thread may use every member. Events are delivered on the loop. It hands over until ``completed``, ``close()``, or
/// until the loop is disposed, even if it has been released.
public final class Handover: Sendable {
    private let core: UnsafeTransfer<HandoverCore>
    private let loop: any LoopScheduler

    /// Listens for the next process: now, or if this process has itself received the sockets, from
    /// ``InheritedSockets/acknowledge(within:)`` on.
    ///
    /// - Parameters:
    ///   - sockets: The sockets to pass, at most 63. Each listening socket of a server counts.
    ///   - address: A Unix socket. Only processes of this user should be able to reach its folder. A dead file is
    ///     replaced.
    ///   - loop: The loop that delivers the events.
    ///   - inherited: The sockets that this process has itself received at the same address. Their process has passed
    ///     the socket of `address` too. `nil`, and sockets of a service manager, open a new one.
    ///   - patience: How long the next process may take from its request to its acknowledgement.
    /// - Throws: `invalidAddress` if the address is no Unix socket. `malformed` if a name is not allowed, or if the old
    ///   process has passed a wrong socket for `address`. Otherwise the
    ///   errors of ``Listener``.
    public init(
        of sockets: [HandoverSocket],
        at address: SocketAddress,
        loop: any LoopScheduler,
        after inherited: InheritedSockets? = nil,
        patience: Duration = .seconds(60)
    ) throws(SocketError) {
        guard address.family == .unix else {
            throw SocketError(.invalidAddress, "cannot hand over at \(address): it is not a Unix socket")
        }
        if let socket = sockets.first(where: { !InheritedSockets.isName($0.name.utf8) }) {
            throw HandoverFrame.malformed("\"\(socket.name)\" cannot be the name of a socket")
        }
        let listener: Listener
        if let descriptor = inherited?.predecessor?.takeHandover() {
            do throws(SocketError) {
                let entry = InheritedSockets.Entry(name: "hand-over", descriptor: descriptor)
                guard entry.kind == .listener, SystemSocket(descriptor: descriptor).localAddress?.family == .unix else {
                    throw HandoverFrame.malformed("the socket of the next hand-over is not a listening Unix socket")
                }
                listener = try Listener(adopting: descriptor, loop: loop)
            } catch {
                SystemSocket(descriptor: descriptor).close()
                throw error
            }
        } else {
            listener = try Listener(on: address, loop: loop, backlog: 4)
        }
        self.loop = loop
        core = UnsafeTransfer(HandoverCore(sockets, listener, loop, patience))
        let start: @Sendable () -> Void = { [core] in loop.runOrExecute { core.value.start() } }
        // Until the acknowledgement the old process answers at the address, which it shares with this one.
        if let predecessor = inherited?.predecessor { predecessor.whenAcknowledged(start) } else { start() }
    }

    /// Completes when the next process serves the sockets. Drain the servers then, and end this process.
    ///
    /// It sends no value, and also completes after ``close()``. Later subscribers complete immediately.
    public var completed: Signal<Never, Never> { core.value.completed.signal }

    /// Whether the next process has taken over.
    public var isCompleted: Bool { core.value.hasHandedOver }

    /// The failures of processes that tried to take over. This process continues to serve. Completes with ``completed``.
    public var failures: Signal<SocketError, Never> { core.value.failures.signal }

    /// Stops listening for the next process. A process that has not acknowledged yet cannot take over any more. Later
    /// calls do nothing.
    public func close() { loop.runOrExecute { [core] in core.value.close() } }
}
