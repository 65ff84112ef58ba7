// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

extension HostKernel: SocketSystem {
    func open(_ kind: SocketType, _ family: SocketAddress.Family) -> Int32 {
        call(.open) { kernel, host in
            let socket: SocketObject
            switch (kind, family) {
            case (_, .unix): socket = UnixSocket(host: host.index, kind)
            case (.stream, _): socket = TCPSocket(host: host.index, family)
            case (.datagram, _): socket = UDPSocket(host: host.index, family)
            }
            return host.descriptors.open(socket)
        }
    }

    func bind(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        call(.bind, descriptor) { kernel, socket in
            switch socket {
            case let socket as IPSocket: kernel.bind(socket, address)
            case let socket as UnixSocket: kernel.bind(socket, address)
            default: EOPNOTSUPP
            }
        }
    }

    func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        call(.connect, descriptor) { kernel, socket in
            switch socket {
            case let socket as TCPSocket: kernel.connect(socket, address)
            case let socket as UDPSocket: kernel.connect(socket, address)
            case let socket as UnixSocket: kernel.connect(socket, address)
            default: EOPNOTSUPP
            }
        }
    }

    func listen(_ descriptor: Int32, backlog: Int32) -> Int32 {
        call(.listen, descriptor) { kernel, socket in
            switch socket {
            case let socket as TCPSocket: kernel.listen(socket, backlog: backlog)
            case let socket as UnixSocket: kernel.listen(socket, backlog: backlog)
            default: EOPNOTSUPP
            }
        }
    }

    func accept(_ descriptor: Int32) -> (result: Int32, peer: SocketAddress?) {
        withHost { kernel, host in
            let (result, peer): (Int32, SocketAddress?)
            switch host.descriptors[descriptor] {
            case nil: (result, peer) = (-EBADF, nil)
            // The kernel reserves a descriptor before it looks at the queue.
            case _ where host.descriptors.isFull: (result, peer) = (-EMFILE, nil)
            case let socket as TCPSocket: (result, peer) = kernel.accept(socket)
            case let socket as UnixSocket: (result, peer) = kernel.accept(socket)
            case is SocketObject: (result, peer) = (-EOPNOTSUPP, nil)
            default: (result, peer) = (-ENOTSOCK, nil)
            }
            kernel.trace.note(Call.accept.rawValue, host.index, descriptor, Int(result))
            return (result, peer)
        }
    }

    func receive(_ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer, peeks: Bool) -> Int {
        countCall(.receive, descriptor) { kernel, socket in
            switch socket {
            case let socket as TCPSocket: unsafe kernel.receive(socket, memory, peeks: peeks)
            case let socket as UnixSocket where socket.kind == .stream:
                unsafe kernel.receive(socket, memory, peeks: peeks)
            default: -Int(EOPNOTSUPP)
            }
        }
    }

    func send(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer) -> Int {
        countCall(.send, descriptor) { kernel, socket in
            switch socket {
            case let socket as TCPSocket: unsafe kernel.send(socket, memory)
            case let socket as UnixSocket where socket.kind == .stream: unsafe kernel.send(socket, memory)
            case let socket as UnixSocket: unsafe kernel.send(socket, memory, to: nil)
            case let socket as UDPSocket: unsafe kernel.send(socket, memory, to: nil)
            default: -Int(EOPNOTSUPP)
            }
        }
    }

    func receiveDatagram(
        _ descriptor: Int32,
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (result: Int, peer: SocketAddress?) {
        withHost { kernel, host in
            let (result, peer): (Int, SocketAddress?)
            switch host.descriptors[descriptor] {
            case nil: (result, peer) = (-Int(EBADF), nil)
            case let socket as UDPSocket: unsafe (result, peer) = kernel.receive(socket, memory)
            case let socket as UnixSocket where socket.kind == .datagram:
                unsafe (result, peer) = kernel.receive(socket, memory)
            case is SocketObject: (result, peer) = (-Int(EOPNOTSUPP), nil)
            default: (result, peer) = (-Int(ENOTSOCK), nil)
            }
            kernel.trace.note(Call.receiveDatagram.rawValue, host.index, descriptor, result)
            return (result, peer)
        }
    }

    func sendDatagram(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer, to peer: SocketAddress?) -> Int {
        countCall(.sendDatagram, descriptor) { kernel, socket in
            switch socket {
            case let socket as UDPSocket: unsafe kernel.send(socket, memory, to: peer)
            case let socket as UnixSocket where socket.kind == .datagram:
                unsafe kernel.send(socket, memory, to: peer)
            default: -Int(EOPNOTSUPP)
            }
        }
    }

    func shutdownWriting(_ descriptor: Int32) -> Int32 {
        call(.shutdown, descriptor) { kernel, socket in
            switch socket {
            case let socket as TCPSocket: kernel.shutdownWriting(socket)
            case let socket as UnixSocket: kernel.shutdownWriting(socket)
            case let socket as UDPSocket: socket.shutdownWriting()
            default: ENOTCONN
            }
        }
    }

    func close(_ descriptor: Int32) -> Int32 {
        call(.close, descriptor: descriptor) { kernel, host in kernel.close(host, descriptor) }
    }

    // MARK: Options

    func setZeroLinger(_ descriptor: Int32) -> Int32 {
        call(.setOption, descriptor) { _, socket in
            socket.lingersZero = true
            return 0
        }
    }

    func setOption(_ descriptor: Int32, level: Int32, name: Int32, value: Int32) -> Int32 {
        call(.setOption, descriptor) { _, socket in
            let code = socket.options.set(socket, level: level, name: name, value: value)
            if code == 0 { socket.didSetOption() }
            return code
        }
    }

    func option(_ descriptor: Int32, level: Int32, name: Int32) -> (code: Int32, value: Int32) {
        withHost { kernel, host in
            guard let object = host.descriptors[descriptor] else { return (EBADF, 0) }
            guard let socket = object as? SocketObject else { return (ENOTSOCK, 0) }
            let result = socket.options.value(socket, level: level, name: name)
            kernel.trace.note(Call.option.rawValue, host.index, descriptor, Int(result.value))
            return result
        }
    }

    func localAddress(_ descriptor: Int32) -> SocketAddress? {
        withSocket(descriptor) { socket in socket.localAddress }
    }

    func remoteAddress(_ descriptor: Int32) -> SocketAddress? {
        withSocket(descriptor) { socket in socket.remoteAddress }
    }

    func readableCount(_ descriptor: Int32) -> Int { withSocket(descriptor) { $0.readableCount } ?? 0 }

    func unsentCount(_ descriptor: Int32) -> Int { withSocket(descriptor) { $0.unsentCount } ?? 0 }

    func hasPeerEnded(_ descriptor: Int32) -> Bool { withSocket(descriptor) { $0.hasPeerEnded } ?? true }

    private func withSocket<Value: Sendable>(_ descriptor: Int32, _ body: (SocketObject) -> Value?) -> Value? {
        withHost { _, host in (host.descriptors[descriptor] as? SocketObject).flatMap(body) }
    }

    // MARK: Files

    func file(at path: String) -> UInt64? { withHost { _, host in host.unixFiles[path]?.number } }

    func removeFile(at path: String) {
        _ = call(.removeFile) { _, host in host.unixFiles.removeValue(forKey: path) == nil ? ENOENT : 0 }
    }

    func removeDeadFile(at path: String) {
        _ = call(.removeFile) { _, host in
            guard let file = host.unixFiles[path], file.isSocket, file.socket.map(\.isClosed) ?? true else {
                return EADDRINUSE
            }
            host.unixFiles[path] = nil
            return 0
        }
    }
}

extension HostKernel {
    /// The calls, as they appear in the fingerprint.
    enum Call: UInt8 {
        case open = 16
        case bind, connect, listen, accept, receive, send, receiveDatagram, sendDatagram, shutdown, close, option
        case setOption, removeFile
    }

    /// Performs a call, and adds it to the fingerprint.
    func call(_ call: Call, descriptor: Int32 = -1, _ body: (inout Kernel, Host) -> Int32) -> Int32 {
        withHost { kernel, host in
            let result = body(&kernel, host)
            kernel.trace.note(call.rawValue, host.index, descriptor, Int(result))
            return result
        }
    }

    /// Performs a call on a socket. The result is 0 or an error number.
    func call(_ call: Call, _ descriptor: Int32, _ body: (inout Kernel, SocketObject) -> Int32) -> Int32 {
        self.call(call, descriptor: descriptor) { kernel, host in
            guard let object = host.descriptors[descriptor] else { return EBADF }
            guard let socket = object as? SocketObject else { return ENOTSOCK }
            return body(&kernel, socket)
        }
    }

    /// Performs a call on a socket. The result is a count, or a negative error number.
    @inline(__always)
    func countCall(_ call: Call, _ descriptor: Int32, _ body: (inout Kernel, SocketObject) -> Int) -> Int {
        withHost { kernel, host in
            let object = host.descriptors[descriptor]
            let result = (object as? SocketObject).map { body(&kernel, $0) } ?? -Int(object == nil ? EBADF : ENOTSOCK)
            kernel.trace.note(call.rawValue, host.index, descriptor, result)
            return result
        }
    }
}
