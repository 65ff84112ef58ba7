// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

@testable import ReactiveSimulation

extension SocketProgram {
    /// The state of a program that runs on one of the kernels.
    struct Machine<Kernel: ProgramKernel> {
        let kernel: Kernel
        let kind: SocketType
        let family: SocketAddress.Family
        let prefix: String
        private var sockets: [Int32] = []
        /// The local addresses that sockets have had. A name in a result stands for one of them.
        private var addresses: [SocketAddress?] = []
        private var isOpen: [Bool] = []

        init(kernel: Kernel, kind: SocketType, family: SocketAddress.Family, prefix: String) {
            self.kernel = kernel
            self.kind = kind
            self.family = family
            self.prefix = prefix
        }

        private var calls: any SocketSystem { kernel.calls }

        mutating func open() { add(calls.open(kind, family)) }

        private mutating func add(_ descriptor: Int32) {
            // Nagle's algorithm and delayed acknowledgements are not simulated (rule N20 turns the first off).
            if kind == .stream, family != .unix {
                _ = calls.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
            }
            sockets.append(descriptor)
            addresses.append(nil)
            isOpen.append(true)
        }

        func closeAll() {
            for (place, socket) in sockets.enumerated() where isOpen[place] { _ = calls.close(socket) }
        }

        /// Performs a call. Returns its result, and the state of all sockets.
        mutating func perform(_ operation: Operation) -> String {
            let result = result(of: operation)
            kernel.settle()
            let states = sockets.indices.map { place -> String in
                guard isOpen[place] else { return "-" }
                if addresses[place] == nil { addresses[place] = usable(calls.localAddress(sockets[place])) }
                let readiness = kernel.readiness(sockets[place])
                let peer = calls.remoteAddress(sockets[place]).map { name($0) } ?? "none"
                let letters = (readiness.contains(.read) ? "r" : "") + (readiness.contains(.write) ? "w" : "")
                return "\(letters)/\(calls.readableCount(sockets[place]))/\(peer)"
            }
            return "\(operation): \(result) | \(states.joined(separator: " "))"
        }

        private func result(_ code: Int32) -> String { code == 0 ? "ok" : String(cString: strerror(code)) }
        private func result(_ count: Int) -> String { count < 0 ? result(Int32(-count)) : "\(count)" }

        private mutating func result(of operation: Operation) -> String {
            switch operation {
            case .bind(let place): with(place) { socket in result(calls.bind(socket, freeAddress(place))) }
            case .listen(let place, let backlog): with(place) { result(calls.listen($0, backlog: backlog)) }
            case .connect(let place, let target):
                with(place) { socket in result(calls.connect(socket, address(of: target))) }
            case .accept(let place): accept(place)
            case .send(let place, let count):
                with(place) { socket in bytes(count).withUnsafeBytes { result(calls.send(socket, $0)) } }
            case .sendTo(let place, let target, let count):
                with(place) { socket in
                    let peer = address(of: target)
                    return bytes(count).withUnsafeBytes { result(calls.sendDatagram(socket, $0, to: peer)) }
                }
            case .receive(let place, let limit, let peeks):
                with(place) { socket in
                    var memory = [UInt8](repeating: 0, count: limit)
                    return memory.withUnsafeMutableBytes { result(calls.receive(socket, $0, peeks: peeks)) }
                }
            case .receiveFrom(let place, let limit):
                with(place) { socket in
                    var memory = [UInt8](repeating: 0, count: limit)
                    let (count, peer) = memory.withUnsafeMutableBytes { calls.receiveDatagram(socket, $0) }
                    return result(count) + (peer.map { " from \(name($0))" } ?? "")
                }
            case .shutdown(let place): with(place) { result(calls.shutdownWriting($0)) }
            case .close(let place): close(place)
            case .resetOnClose(let place): with(place) { result(calls.setZeroLinger($0)) }
            case .option(let place, let option):
                with(place) { socket in
                    let (level, name) = option.numbers
                    let code = calls.setOption(socket, level: level, name: name, value: 1)
                    let read = calls.option(socket, level: level, name: name)
                    return "\(result(code)), \(result(read.code)) \(read.code == 0 ? read.value : 0)"
                }
            }
        }

        private func with(_ place: Int, _ body: (Int32) -> String) -> String {
            guard sockets.indices.contains(place), isOpen[place] else { return "closed" }
            return body(sockets[place])
        }

        private mutating func accept(_ place: Int) -> String {
            guard sockets.indices.contains(place), isOpen[place] else { return "closed" }
            let (accepted, peer) = calls.accept(sockets[place])
            if accepted < 0 { return result(-accepted) }
            add(accepted)
            return "socket \(sockets.count - 1) from \(peer.map { name($0) } ?? "nobody")"
        }

        private mutating func close(_ place: Int) -> String {
            guard sockets.indices.contains(place), isOpen[place] else { return "closed" }
            isOpen[place] = false
            return result(calls.close(sockets[place]))
        }

        // MARK: Addresses

        /// The address to bind a socket to.
        private func freeAddress(_ place: Int) -> SocketAddress {
            switch family {
            case .ipv4: .loopback(port: 0)
            case .ipv6: SocketAddress(family: .ipv6, bytes: Array(repeating: 0, count: 15) + [1])
            case .unix: SocketAddress(family: .unix, bytes: [0] + Array("\(prefix)-\(place)".utf8))
            }
        }

        /// The address of a socket, or one that no socket has.
        private func address(of place: Int) -> SocketAddress {
            if addresses.indices.contains(place), let address = addresses[place] { return address }
            switch family {
            case .ipv4: return .loopback(port: 1)
            case .ipv6: return SocketAddress(family: .ipv6, bytes: Array(repeating: 0, count: 15) + [1], port: 1)
            case .unix: return freeAddress(99)
            }
        }

        /// The address, if another socket can connect to it.
        private func usable(_ address: SocketAddress?) -> SocketAddress? {
            guard let address else { return nil }
            return family == .unix ? (address.bytes.isEmpty ? nil : address) : (address.port == 0 ? nil : address)
        }

        /// The first socket that has had the address, because numbers of ports differ.
        private func name(_ address: SocketAddress) -> String {
            if let place = addresses.firstIndex(of: address) { return "socket \(place)" }
            return usable(address) == nil ? "unnamed" : address.port == 1 ? "closed port" : "another"
        }

        private func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
    }
}
