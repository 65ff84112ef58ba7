// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

/// The calls of the peers of a service.
extension HostKernel: MachineSystem {
    var now: LoopInstant { network.now }

    func openPair(_ kind: SocketType) -> (near: Int32, far: Int32) {
        withHost { kernel, host in kernel.openPair(host, kind) }
    }

    /// A pipe is a pair of sockets of which each end can do one thing only.
    func openPipe() -> (reading: Int32, writing: Int32) {
        withHost { kernel, host in
            let (reading, writing) = kernel.openPair(host, .stream)
            (host.descriptors[reading] as? UnixSocket)?.pipeEnd = .reading
            (host.descriptors[writing] as? UnixSocket)?.pipeEnd = .writing
            return (reading, writing)
        }
    }

    func openFile() -> Int32 {
        withHost { _, host in host.descriptors.open(FileObject(host: host.index)) }
    }

    func duplicate(_ descriptor: Int32, from lowest: Int32) -> Int32 {
        withHost { _, host in
            guard let object = host.descriptors[descriptor] else { return -EBADF }
            let number = host.descriptors.firstFree(from: firstDescriptor + max(0, lowest))
            return host.descriptors.open(object, at: number) < 0 ? -EMFILE : number
        }
    }

    func duplicate(_ descriptor: Int32, onto number: Int32) -> Int32 {
        withHost { kernel, host in
            guard let object = host.descriptors[descriptor] else { return -EBADF }
            if descriptor == number { return number }
            _ = kernel.close(host, number)
            return host.descriptors.open(object, at: number)
        }
    }

    func readiness(_ descriptor: Int32) -> Readiness {
        withHost { _, host in host.descriptors[descriptor]?.readiness ?? [.read, .write] }
    }

    func isConnecting(_ descriptor: Int32) -> Bool {
        withHost { _, host in
            guard let socket = host.descriptors[descriptor] as? TCPSocket else { return false }
            return if case .connecting = socket.phase { true } else { false }
        }
    }

    func signalCount(_ descriptor: Int32) -> UInt64 {
        withHost { _, host in (host.descriptors[descriptor] as? EventObject)?.signalCount ?? 0 }
    }

    func makeFile(at path: String) {
        withHost { _, host in
            host.lastFileNumber += 1
            host.unixFiles[path] = UnixFile(number: host.lastFileNumber, isSocket: false, socket: nil)
        }
    }

    func makeFolder(at path: String) { withHost { _, host in _ = host.folders.insert(path) } }

    func removeFolder(at path: String) { withHost { _, host in _ = host.folders.remove(path) } }

    func isHandled(_ signal: Int32) -> Bool {
        withHost { _, host in host.signalListeners[signal]?.isEmpty == false }
    }
}

extension Kernel {
    /// Opens two connected Unix sockets. Traps if no descriptor is left.
    fileprivate mutating func openPair(_ host: Host, _ kind: SocketType) -> (near: Int32, far: Int32) {
        let ends = (UnixSocket(host: host.index, kind), UnixSocket(host: host.index, kind))
        (ends.0.peer, ends.1.peer) = (ends.1, ends.0)
        if kind == .stream { (ends.0.phase, ends.1.phase) = (.connected, .connected) }
        let numbers = (host.descriptors.open(ends.0), host.descriptors.open(ends.1))
        if numbers.0 < 0 || numbers.1 < 0 { fatalError("host \(host.name) has no descriptor left for a pair") }
        return numbers
    }
}
