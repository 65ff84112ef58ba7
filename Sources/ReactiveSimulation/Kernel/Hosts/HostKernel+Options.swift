// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension HostKernel {
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
}
