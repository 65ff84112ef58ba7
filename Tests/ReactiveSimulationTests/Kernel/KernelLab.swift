// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

/// A simulated network with two hosts, and short names for the calls of a test.
struct KernelLab {
    let network: SimulatedNetwork
    let server: HostKernel
    let client: HostKernel

    init(seed: UInt64 = 1, partialReads: Double = 0, descriptorLimit: Int = 64) {
        network = SimulatedNetwork(seed: seed)
        server = network.addHost(named: "server", descriptorLimit: descriptorLimit)
        client = network.addHost(named: "client", descriptorLimit: descriptorLimit)
        network.tuning = KernelTuning(partialReads: partialReads, segmentation: partialReads)
    }

    /// Lets time pass.
    func advance(_ duration: Duration) { network.advance(to: network.now + duration) }

    /// Lets packets arrive, without the time of a retransmission.
    func settle() { advance(.milliseconds(10)) }

    /// A listening TCP socket of the server.
    func listen(port: UInt16 = 80, backlog: Int32 = 16, _ options: [Int32] = []) -> Int32 {
        let listener = server.open(.stream, .ipv4)
        for option in options { #expect(server.setOption(listener, level: SOL_SOCKET, name: option, value: 1) == 0) }
        #expect(server.bind(listener, server.address(port: port)) == 0)
        #expect(server.listen(listener, backlog: backlog) == 0)
        return listener
    }

    /// A TCP socket of the client that connects to the server.
    func connect(port: UInt16 = 80) -> Int32 {
        let socket = client.open(.stream, .ipv4)
        #expect(client.connect(socket, server.address(port: port)) == EINPROGRESS)
        return socket
    }

    /// A connection: the client's socket and the server's.
    func connection(port: UInt16 = 80, _ options: [Int32] = []) -> (client: Int32, server: Int32) {
        let listener = listen(port: port, options)
        let socket = connect(port: port)
        settle()
        let accepted = server.accept(listener).result
        #expect(accepted > 0)
        #expect(server.close(listener) == 0)
        return (socket, accepted)
    }
}

extension HostKernel {
    func send(_ descriptor: Int32, _ text: String) -> Int {
        var text = text
        return text.withUTF8 { send(descriptor, UnsafeRawBufferPointer($0)) }
    }

    func send(_ descriptor: Int32, count: Int) -> Int {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { send(descriptor, $0) }
    }

    /// What one call receives: bytes, or an error number in brackets.
    func receive(_ descriptor: Int32, limit: Int = 65_536, peeks: Bool = false) -> String {
        var memory = [UInt8](repeating: 0, count: limit)
        let count = memory.withUnsafeMutableBytes { receive(descriptor, $0, peeks: peeks) }
        if count < 0 { return "[\(-count)]" }
        return String(decoding: memory[..<count], as: UTF8.self)
    }

    func receiveCount(_ descriptor: Int32, limit: Int = 1_000_000) -> Int {
        var memory = [UInt8](repeating: 0, count: limit)
        return memory.withUnsafeMutableBytes { receive(descriptor, $0, peeks: false) }
    }

    /// The pending error (`SO_ERROR`).
    func error(_ descriptor: Int32) -> Int32 { option(descriptor, level: SOL_SOCKET, name: SO_ERROR).value }

    /// What a new poll set reports about a descriptor.
    func readiness(_ descriptor: Int32) -> Readiness {
        let set = makePollSet {}
        #expect(set.register(descriptor, [.read, .write], token: 1) == 0)
        var reports: [PollSet.Report] = []
        set.collect(into: &reports)
        return reports.first?.readiness ?? []
    }
}

/// An error number as ``HostKernel/receive(_:limit:peeks:)`` returns it.
func failed(_ errno: Int32) -> String { "[\(errno)]" }
