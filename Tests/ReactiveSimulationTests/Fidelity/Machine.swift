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
        let isUnix: Bool
        let prefix: String
        private(set) var families: [SocketAddress.Family] = []
        private var sockets: [Int32] = []
        /// The local addresses that sockets have had. A name in a result stands for one of them.
        private(set) var addresses: [SocketAddress?] = []
        private var isOpen: [Bool] = []

        init(kernel: Kernel, kind: SocketType, isUnix: Bool, prefix: String) {
            self.kernel = kernel
            self.kind = kind
            self.isUnix = isUnix
            self.prefix = prefix
        }

        private var calls: any SocketSystem { kernel.calls }

        mutating func open(_ family: SocketAddress.Family) { add(calls.open(kind, family), family) }

        private mutating func add(_ descriptor: Int32, _ family: SocketAddress.Family) {
            // Nagle's algorithm and delayed acknowledgements are not simulated (rule N20 turns the first off).
            if kind == .stream, family != .unix {
                _ = calls.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
            }
            sockets.append(descriptor)
            families.append(family)
            addresses.append(nil)
            isOpen.append(true)
        }

        func closeAll() {
            for (place, socket) in sockets.enumerated() {
                if isOpen[place] { _ = calls.close(socket) }
                _ = removeFile(of: place)
            }
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
                let own = calls.localAddress(sockets[place]).map { name($0) } ?? "none"
                return "\(letters)/\(calls.readableCount(sockets[place]))/\(own)/\(peer)"
            }
            return "\(operation): \(result) | \(states.joined(separator: " "))"
        }

        private func result(_ code: Int32) -> String { code == 0 ? "ok" : String(cString: strerror(code)) }
        private func result(_ count: Int) -> String { count < 0 ? result(Int32(-count)) : "\(count)" }

        /// Calls `body` until it fails. Returns the last result, and the number and the sum of the others.
        private func results(_ times: Int, _ body: () -> Int) -> String {
            var (calls, sum) = (0, 0)
            for _ in 1..<times {
                let count = body()
                kernel.settleBriefly()
                if count < 0 { return "\(calls) calls, \(sum) bytes, \(result(count))" }
                calls += 1
                sum += count
            }
            let last = result(body())
            return times == 1 ? last : "\(calls) calls, \(sum) bytes, \(last)"
        }

        private mutating func result(of operation: Operation) -> String {
            switch operation {
            case .bind(let socket, let place):
                with(socket) { result(calls.bind($0, address(of: place, for: socket))) }
            case .listen(let place, let backlog): with(place) { result(calls.listen($0, backlog: backlog)) }
            case .connect(let place, let target):
                with(place) { socket in
                    let peer = address(of: target, for: place)
                    // TCP's simultaneous open is not simulated.
                    let isSelf = kind == .stream && !isUnix && addresses[place]?.port == peer.port
                    return isSelf ? "itself" : result(calls.connect(socket, peer))
                }
            case .accept(let place): accept(place)
            case .send(let place, let count, let times):
                with(place) { socket in
                    let bytes = bytes(count)
                    return results(times) { bytes.withUnsafeBytes { calls.send(socket, $0) } }
                }
            case .sendTo(let place, let target, let count, let times):
                with(place) { socket in
                    let (peer, bytes) = (address(of: target, for: place), bytes(count))
                    // Each datagram to an unused port costs an ICMP message, whose number per second is limited.
                    let isOpen = isOpen.indices.contains(target.number) && isOpen[target.number]
                    return results(isOpen ? times : min(times, 3)) {
                        bytes.withUnsafeBytes { calls.sendDatagram(socket, $0, to: peer) }
                    }
                }
            case .receive(let place, let limit, let peeks):
                with(place) { socket in
                    var memory = [UInt8](repeating: 0, count: limit)
                    return memory.withUnsafeMutableBytes { result(calls.receive(socket, $0, peeks: peeks)) }
                }
            case .receiveFrom(let place, let limit, let times):
                with(place) { socket in
                    var memory = [UInt8](repeating: 0, count: limit)
                    var last: SocketAddress?
                    let text = results(times) {
                        let (count, peer) = memory.withUnsafeMutableBytes { calls.receiveDatagram(socket, $0) }
                        last = peer
                        return count
                    }
                    return text + (last.map { " from \(name($0))" } ?? "")
                }
            case .removeFile(let place): removeFile(of: place)
            case .shutdown(let place): with(place) { result(calls.shutdownWriting($0)) }
            case .close(let place): close(place)
            case .resetOnClose(let place): with(place) { result(calls.setZeroLinger($0)) }
            case .option(let place, let option, let value):
                with(place) { socket in
                    let (level, name) = option.numbers
                    let code = calls.setOption(socket, level: level, name: name, value: value)
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
            add(accepted, families[place])
            return "socket \(sockets.count - 1) from \(peer.map { name($0) } ?? "nobody")"
        }

        private func removeFile(of place: Int) -> String {
            guard let path = path(of: place), calls.file(at: path) != nil else { return "no file" }
            calls.removeFile(at: path)
            return calls.file(at: path) == nil ? "removed" : "still there"
        }

        private mutating func close(_ place: Int) -> String {
            guard sockets.indices.contains(place), isOpen[place] else { return "closed" }
            isOpen[place] = false
            return result(calls.close(sockets[place]))
        }

        private func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
    }
}
