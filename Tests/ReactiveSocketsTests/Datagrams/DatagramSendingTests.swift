// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct DatagramSendingTests {
        @Test(
            "N18: a connected socket sends without an address and receives only from its peer",
            arguments: LoopKind.all,
            DatagramFamily.allCases
        )
        func connected(_ kind: LoopKind, _ family: DatagramFamily) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (peer, stranger) = (RawDatagrams(at: family.any), RawDatagrams(at: family.any))
            defer { for peer in [peer, stranger] { peer.close() } }
            let socket = try DatagramSocket(to: peer.address, from: family.any, loop: loop)
            #expect(socket.remoteAddress == peer.address)
            let log = socket.received.log()
            let sent = socket.send("ping").log()
            var arrived: [UInt8]?
            try loop.turns {
                arrived = peer.receive()
                return arrived != nil && sent.hasEnded
            }
            #expect(arrived == Array("ping".utf8) && sent.isCompleted)
            let isHeard = stranger.send("stranger".utf8, to: socket.localAddress) < 0 ? false : nil
            peer.send("pong".utf8, to: socket.localAddress)
            try loop.turns { log.values.count == 1 }
            #expect(log.values.first?.bytes == "pong" && isHeard ?? false == false)
        }

        @Test("Signals that a closing socket has not sent fail in the order of their calls", arguments: LoopKind.all)
        func failuresInOrder(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: ownLoopback(), loop: loop)
            let failed = Recorder<Int>()
            for number in 0..<16 {
                socket.send(from: Signal<Datagram, Never>.never)
                    .subscribe(onTermination: { _ in failed.append(number) })
            }
            socket.close()
            try loop.turns { failed.count == 16 }
            #expect(failed.values == Array(0..<16))
        }

        @Test("N18: the report of a refusal is sent by errors, and receiving continues", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let gone = RawDatagrams(at: ownLoopback())
            let address = gone.address
            gone.close()
            try waitUntilNobodyHas(address, .datagram)
            let socket = try DatagramSocket(to: address, loop: loop)
            let (log, errors) = (socket.received.log(), socket.errors.log())
            for count in 1...3 {
                let sent = socket.send("anybody?").log()
                try loop.turns { errors.values.count == count && sent.hasEnded }
                #expect(sent.isCompleted && !log.hasEnded)
            }
            #expect(errors.values.allSatisfy { $0.code == .refused && "\($0)".contains("\(address)") })
            let peer = RawDatagrams(at: address)
            defer { peer.close() }
            peer.send("here".utf8, to: socket.localAddress)
            try loop.turns { log.values.count == 1 }
            #expect(log.values.first?.bytes == "here")
            socket.send("good")
            var answer: [UInt8]?
            try loop.turns {
                answer = peer.receive()
                return answer != nil
            }
            #expect(answer == Array("good".utf8))
            socket.close()
            try loop.turns { errors.hasEnded }
            #expect(errors.ends == [.completed] && errors.values.count == 3)
        }

        @Test(
            "N18: a socket that only sends receives the report at its next send, which also succeeds",
            arguments: LoopKind.all
        )
        func refusedSending(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let gone = RawDatagrams(at: ownLoopback())
            let address = gone.address
            gone.close()
            try waitUntilNobodyHas(address, .datagram)
            let socket = try DatagramSocket(to: address, loop: loop)
            let errors = socket.errors.log()
            let first = socket.send("lost").log()
            try loop.turns { first.hasEnded }
            #expect(first.isCompleted && errors.values.isEmpty)
            // The refusal must arrive before somebody has the address.
            try #require(Descriptor.wait(for: socket.core.value.socket.descriptor, 0))
            let peer = RawDatagrams(at: address)
            defer { peer.close() }
            let second = socket.send("there").log()
            try loop.turns { second.hasEnded && errors.values.count == 1 }
            #expect(second.isCompleted && errors.values.first?.code == .refused)
            try expect("there", at: peer, loop)
            #expect(peer.receive() == nil)
        }

        @Test("N18: a datagram that is too large fails, and the others do not", arguments: LoopKind.all)
        func tooLarge(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let peer = RawDatagrams(at: .loopback(port: 0))
            defer { peer.close() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let (log, errors) = (socket.received.log(), socket.errors.log())
            let large = socket.send(Bytes(noise(65_508)), to: peer.address).log()
            let small = socket.send("small", to: peer.address).log()
            try loop.turns { large.hasEnded && small.hasEnded }
            #expect(large.code == .messageTooLarge && small.isCompleted)
            try expect("small", at: peer, loop)
            try loop.turns(3)
            #expect(errors.values.isEmpty && !log.hasEnded)
            // In a signal the error is reported, and the other datagrams are sent.
            let all = [Datagram(Bytes(noise(65_508)), to: peer.address), Datagram("next", to: peer.address)]
            let sent = socket.send(from: Signal<Datagram, Never>(values: all)).log()
            try loop.turns { sent.hasEnded }
            #expect(sent.isCompleted && errors.values.map(\.code) == [.messageTooLarge])
            try expect("next", at: peer, loop)
        }

        /// Runs turns until a datagram has arrived, and checks it.
        private func expect(_ text: String, at peer: RawDatagrams, _ loop: any LoopScheduler) throws {
            var bytes: [UInt8]?
            try loop.turns {
                bytes = peer.receive()
                return bytes != nil
            }
            #expect(bytes == Array(text.utf8))
        }

        @Test("A send without a peer, or to a missing Unix peer, fails with a typed error", arguments: LoopKind.all)
        func nowhere(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: abstractName(), loop: loop)
            let (nameless, nobody) = (socket.send("x").log(), socket.send("x", to: abstractName()).log())
            let nothing = socket.send("x", to: try .unix(path: "/nowhere/at/all")).log()
            try loop.turns { nameless.hasEnded && nobody.hasEnded && nothing.hasEnded }
            #expect(nameless.code == .invalidAddress && nobody.code == .refused && nothing.code == .noSuchPath)
            let udp = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let broadcast = try SocketAddress(host: "255.255.255.255", port: 9)
            let refused = udp.send("x", to: broadcast).log()
            try loop.turns { refused.hasEnded }
            #expect(refused.code == .permissionDenied || refused.code == .unreachable)
        }

        @Test(
            "N10: datagrams wait in order while the send buffer is full, and pause their source",
            arguments: LoopKind.all,
            [true, false]
        )
        func heldBack(_ kind: LoopKind, _ isConnected: Bool) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let peer = RawDatagrams(at: abstractName())
            defer { peer.close() }
            let socket =
                try isConnected
                ? DatagramSocket(to: peer.address, loop: loop, watermarks: Watermarks(high: 4096))
                : DatagramSocket(on: abstractName(), loop: loop, watermarks: Watermarks(high: 4096))
            let asked = Box(0)
            let address = isConnected ? nil : peer.address
            let source = Signal<Datagram, Never>(values: Counting(2000, asked, address))
            let sent = socket.send(from: source).log()
            try loop.turns(20)
            #expect(asked.value < 1500 && !sent.hasEnded)
            // The socket waits for a full peer instead of trying in every turn.
            let (isOver, turns) = (Box(false), Box(0))
            loop.schedule(after: .milliseconds(200)) { isOver.value = true }
            while !isOver.value {
                try loop.runOnce(waiting: true)
                turns.increment()
            }
            #expect(turns.value < 60)
            var numbers: [Int] = []
            try loop.turns {
                if let bytes = peer.receive() { numbers.append(Int(bytes[0]) << 8 | Int(bytes[1])) }
                return numbers.count == 2000
            }
            #expect(numbers == Array(0..<2000))
            try loop.turns { sent.hasEnded }
            #expect(sent.isCompleted && asked.value == 2000)
        }

        @Test("N8: several threads and a source on another loop may send through one socket", arguments: LoopKind.pairs)
        func threads(_ one: LoopKind, _ two: LoopKind) throws {
            let (loop, other) = (try one.make(thread: .owned), try two.make(thread: .owned))
            let name = abstractName()
            let receiver = try DatagramSocket(on: name, loop: other)
            let counts = Recorder<[UInt8]>()
            let complete = Latch()
            receiver.received.subscribe(
                onValue: { datagram in
                    counts.append(Array(datagram.bytes))
                    if counts.count == 900 { complete.arrive() }
                },
                onTermination: { _ in }
            )
            let sender = try DatagramSocket(on: abstractName(), loop: loop)
            let threads = (0..<3).map { thread in
                TestThread {
                    for number in 0..<200 {
                        sender.send([UInt8(thread), UInt8(number & 0xff)], to: name)
                    }
                }
            }
            let values = (0..<300).map { Datagram([3, UInt8($0 & 0xff)], to: name) }
            sender.send(from: Signal<Datagram, Never>(values: values).observe(on: other))
            for thread in threads { try thread.join() }
            try complete.wait("900 datagrams")
            for thread in 0..<4 {
                let own = counts.values.filter { $0[0] == thread }.map { $0[1] }
                #expect(own == (0..<own.count).map { UInt8($0 & 0xff) })
                #expect(own.count == (thread == 3 ? 300 : 200))
            }
            loop.dispose()
            other.dispose()
        }

        @Test(
            "A peer with the longest possible path, without a terminating zero, gets a reply",
            arguments: LoopKind.all
        )
        func longestPath(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let server = try DatagramSocket(on: abstractName(), loop: loop)
            server.send(from: server.received)
            let folder = try TestFolder()
            defer { folder.remove() }
            let path = folder.path(String(repeating: "x", count: 108 - folder.path("").utf8.count))
            let peer = RawDatagrams(at: SocketAddress(family: .unix, bytes: Array(path.utf8)))
            defer { peer.close() }
            #expect(peer.send("hello".utf8, to: server.localAddress) == 5)
            var answer: [UInt8]?
            try loop.turns {
                answer = peer.receive()
                return answer != nil
            }
            #expect(answer == Array("hello".utf8))
            server.close()
            try loop.turns(2)
            loop.dispose()
        }
    }
}

/// Numbered datagrams that count how many were requested.
private struct Counting: Sequence, Sendable {
    let count: Int
    let asked: Box<Int>
    let peer: SocketAddress?

    init(_ count: Int, _ asked: Box<Int>, _ peer: SocketAddress?) {
        self.count = count
        self.asked = asked
        self.peer = peer
    }

    func makeIterator() -> AnyIterator<Datagram> {
        AnyIterator {
            let number = asked.value
            if number == count { return nil }
            asked.increment()
            return Datagram([UInt8(number >> 8), UInt8(number & 0xff)], to: peer)
        }
    }
}
