// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore

/// A descriptor to watch, and its other end, which makes it ready and unready.
///
/// Safe: the system calls receive local variables and literals with their sizes, and keep no pointer.
final class WatchedEnd {
    enum Kind: CaseIterable {
        case stream, datagram, tcp, pipeReader, pipeWriter, terminal, listener
    }

    /// What a program does to the two ends. It does nothing if the kind or the state of the ends does not permit it.
    enum Change: CaseIterable {
        /// Writes to the other end, or connects to the listener.
        case provide
        /// Reads all bytes of the watched end.
        case take
        /// Writes to the watched end until its buffer is full.
        case fill
        /// Reads all bytes of the other end.
        case drain
        /// The other end ends its sending.
        case end
        case closeOther
    }

    let kind: Kind
    let near: Int32
    private var far: Int32

    init(_ kind: Kind) {
        self.kind = kind
        switch kind {
        case .stream: (near, far) = Descriptor.sockets()
        case .datagram: (near, far) = Descriptor.sockets(.datagram)
        case .tcp:
            let listener = RawSocket.listener()
            near = RawSocket.connecting(to: listener.address)
            far = RawPeer.accept(by: listener.descriptor)
            Descriptor.setBlocking(far, false)
            Descriptor.close(listener.descriptor)
        case .pipeReader: (near, far) = Descriptor.pipe()
        case .pipeWriter: (far, near) = Descriptor.pipe()
        case .terminal: (near, far) = Descriptor.terminal() ?? Descriptor.sockets()
        case .listener: (near, far) = (RawSocket.listener().descriptor, -1)
        }
    }

    deinit {
        Descriptor.close(near)
        if far >= 0 { Descriptor.close(far) }
    }

    /// The part of `interest` for which poll(2) finds the descriptor ready. An error or a hang-up counts for all of it.
    func readiness(for interest: Readiness) -> Readiness {
        if interest.isEmpty { return [] }
        var events = Int16(0)
        if interest.contains(.read) { events |= Int16(POLLIN) }
        if interest.contains(.write) { events |= Int16(POLLOUT) }
        var request = pollfd(fd: near, events: events, revents: 0)
        unsafe poll(&request, 1, 0)
        if request.revents & Int16(POLLERR | POLLHUP) != 0 { return interest }
        var ready: Readiness = []
        if request.revents & Int16(POLLIN) != 0 { ready.insert(.read) }
        if request.revents & Int16(POLLOUT) != 0 { ready.insert(.write) }
        return ready
    }

    func apply(_ change: Change) {
        switch change {
        case .provide: provide()
        case .take: while kind != .pipeWriter, kind != .listener, Descriptor.take(from: near) > 0 {}
        case .fill: while canFill, Descriptor.put("0123456789abcdef", to: near) > 0 {}
        case .drain: while far >= 0, kind != .pipeReader, Descriptor.take(from: far) > 0 {}
        case .end: if far >= 0, kind == .stream || kind == .tcp { Descriptor.endSending(far) }
        case .closeOther:
            if far >= 0 { Descriptor.close(far) }
            far = -1
        }
    }

    private func provide() {
        switch kind {
        case .stream, .datagram, .tcp, .pipeReader, .terminal: if far >= 0 { Descriptor.put("x\n", to: far) }
        case .pipeWriter: break
        case .listener:
            if far < 0, let address = OpenSockets.localAddress(of: near) { far = RawSocket.connecting(to: address) }
        }
    }

    /// A pipe without a reader would raise `SIGPIPE`.
    private var canFill: Bool {
        switch kind {
        case .stream, .datagram, .tcp: true
        case .pipeWriter: far >= 0
        case .pipeReader, .terminal, .listener: false
        }
    }
}
