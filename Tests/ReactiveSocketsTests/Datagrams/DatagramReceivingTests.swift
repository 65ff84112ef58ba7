// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

enum DatagramFamily: CaseIterable {
    case ipv4, ipv6, unix

    var any: SocketAddress {
        switch self {
        case .ipv4: .loopback(port: 0)
        case .ipv6: SocketAddress(family: .ipv6, bytes: [UInt8](repeating: 0, count: 15) + [1])
        case .unix: abstractName()
        }
    }
}

extension Sockets {
    @Suite struct DatagramReceivingTests {
        @Test(
            "N18: send(from: received) echoes each datagram, even an empty one, on every address family",
            arguments: LoopKind.all,
            DatagramFamily.allCases
        )
        func echo(_ kind: LoopKind, _ family: DatagramFamily) throws {
            let before = datagramSockets()
            try {
                let loop = try kind.make()
                let socket = try DatagramSocket(on: family.any, loop: loop)
                let client = RawDatagrams(at: family.any)
                defer { client.close() }
                socket.send(from: socket.received)
                for size in [0, 1, 1500, 0, 9000, 60_000] {
                    let data = noise(size)
                    #expect(client.send(data, to: socket.localAddress) == size)
                    var answer: [UInt8]?
                    try loop.turns {
                        answer = client.receive()
                        return answer != nil
                    }
                    #expect(answer == data)
                }
                socket.close()
                try loop.turns { !socket.core.value.isOpen }
                loop.dispose()
            }()
            try waitUntilDatagramSocketsClose(except: before)
        }

        @Test("N18: a datagram carries its sender's address, or none for an unnamed sender", arguments: LoopKind.all)
        func senders(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            for family in DatagramFamily.allCases {
                let socket = try DatagramSocket(on: family.any, loop: loop)
                let (one, two) = (RawDatagrams(at: family.any), RawDatagrams(at: family.any))
                defer { for peer in [one, two] { peer.close() } }
                let log = socket.received.log()
                one.send([1], to: socket.localAddress)
                two.send([2], to: socket.localAddress)
                try loop.turns { log.values.count == 2 }
                #expect(log.values.map(\.peer) == [one.address, two.address])
                #expect(log.values.map { Array($0.bytes) } == [[1], [2]])
            }
            let (near, far) = Descriptor.sockets(.datagram)
            let socket = try DatagramSocket(adopting: near, loop: loop)
            let log = socket.received.log()
            #expect(Glibc.send(far, [7], 1, 0) == 1)
            try loop.turns { log.values.count == 1 }
            #expect(log.values.map(\.peer?.bytes) == [nil] || log.values.map(\.peer?.bytes) == [[]])
            close(far)
        }

        @Test(
            "N16: an IPv6 wildcard socket also receives IPv4 and replies, unless it is IPv6-only",
            arguments: LoopKind.all
        )
        func bothFamilies(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let all = SocketAddress(family: .ipv6, bytes: [UInt8](repeating: 0, count: 16))
            let both = try DatagramSocket(on: all, loop: loop)
            both.send(from: both.received)
            for family in [DatagramFamily.ipv4, .ipv6] {
                let client = RawDatagrams(at: family.any)
                defer { client.close() }
                let near = client.address
                let port = both.localAddress.port
                client.send([4, 6], to: SocketAddress(family: near.family, bytes: near.bytes, port: port))
                var answer: [UInt8]?
                try loop.turns {
                    answer = client.receive()
                    return answer != nil
                }
                #expect(answer == [4, 6])
            }
            try waitUntil("a port that serves each family with a socket of its own") {
                let one = try DatagramSocket(on: all, loop: loop, options: [SocketOption.ipv6Only(true)])
                defer { one.close() }
                // The system chose a port that is free in IPv6. If it is in use in IPv4, the next port is tried.
                let sameOfIPv4 = try SocketAddress(host: "0.0.0.0", port: Int(one.localAddress.port))
                do {
                    try DatagramSocket(on: sameOfIPv4, loop: loop).close()
                    return true
                } catch let error as SocketError where error.code == .addressInUse {
                    return false
                }
            }
        }

        @Test(
            "N18: a datagram beyond the limit is truncated and marked as such",
            arguments: LoopKind.all,
            [1, 100, 65_536, 100_000]
        )
        func truncation(_ kind: LoopKind, _ limit: Int) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: abstractName(), loop: loop, maximumSize: limit)
            let client = RawDatagrams(at: abstractName())
            defer { client.close() }
            let log = socket.received.log()
            let data = noise(limit + 1)
            for size in [limit - 1, limit, limit + 1, limit] {
                #expect(client.send(data[..<size], to: socket.localAddress) == size)
                let count = log.values.count + 1
                try loop.turns { log.values.count == count }
            }
            #expect(log.values.map(\.isTruncated) == [false, false, true, false])
            #expect(log.values.map(\.bytes.count) == [limit - 1, limit, limit, limit])
            #expect(log.values.allSatisfy { $0.bytes.elementsEqual(data[..<$0.bytes.count]) })
        }

        @Test("S9: a turn reads at most 32 datagrams, and none is lost or reordered", arguments: LoopKind.all)
        func perTurn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let client = RawDatagrams(at: .loopback(port: 0))
            defer { client.close() }
            for number in 0..<100 { client.send([UInt8(number)], to: socket.localAddress) }
            // The kernel may deliver later than a send returns. It delivers in the order of the sends.
            let last = RawDatagrams(at: .loopback(port: 0))
            defer { last.close() }
            client.send([100], to: last.address)
            try waitUntil("the datagram after the last") { last.receive() != nil }
            let turns = Recorder<UInt64>()
            let log = Log<Datagram, SocketError>()
            socket.received.subscribe(
                in: log.subscription,
                onValue: { datagram in
                    turns.append(loop.turn)
                    log.take(datagram)
                },
                onTermination: { log.take(end: $0) }
            )
            try loop.turns { log.values.count == 100 }
            #expect(log.values.flatMap { Array($0.bytes) } == (0..<100).map { UInt8($0) })
            let perTurn = Dictionary(grouping: turns.values) { $0 }.mapValues(\.count)
            #expect(perTurn.values.max() == 32)
        }

        @Test(
            "N11: during a pause nothing is delivered, and the data follows after the resume",
            arguments: LoopKind.all
        )
        func pausing(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let client = RawDatagrams(at: .loopback(port: 0))
            defer { client.close() }
            let (log, hold) = (Log<Datagram, SocketError>(), Box<(any Disposable)?>(nil))
            socket.received.subscribe(
                in: log.subscription,
                onValue: { datagram in
                    log.take(datagram)
                    hold.value = log.subscription.pause()
                },
                onTermination: { log.take(end: $0) }
            )
            for number in 0..<20 { client.send([UInt8(number)], to: socket.localAddress) }
            for count in 1...20 {
                try loop.turns { log.values.count == count }
                try loop.turns(3)
                #expect(log.values.count == count)
                hold.value?.dispose()
            }
            #expect(log.values.flatMap { Array($0.bytes) } == (0..<20).map { UInt8($0) })
        }

        @Test(
            "A second observer is refused, and a later one continues where the first stopped",
            arguments: LoopKind.all
        )
        func observers(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let client = RawDatagrams(at: .loopback(port: 0))
            defer { client.close() }
            let first = socket.received.log()
            let second = socket.received.log()
            try loop.turns { second.hasEnded }
            #expect(second.code == .alreadyReceiving)
            client.send([1], to: socket.localAddress)
            try loop.turns { first.values.count == 1 }
            first.subscription.dispose()
            client.send([2], to: socket.localAddress)
            try loop.turns(3)
            #expect(first.values.count == 1)
            let third = socket.received.log()
            try loop.turns { third.values.count == 1 }
            #expect(third.values.first?.bytes == [2])
        }

        @Test("A retained datagram uses little more memory than its bytes", arguments: LoopKind.all)
        func memory(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let client = RawDatagrams(at: .loopback(port: 0))
            defer { client.close() }
            let log = socket.received.log()
            for size in [1, 100, 1500, 20_000, 50_000, 10] {
                client.send(noise(size), to: socket.localAddress)
                let count = log.values.count + 1
                try loop.turns { log.values.count == count }
            }
            for datagram in log.values {
                #expect(try #require(datagram.bytes.slab).capacity <= datagram.bytes.count * 2)
            }
            log.subscription.dispose()
        }

        @Test("A large size limit uses no more memory than the datagram", arguments: LoopKind.all)
        func noLimit(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = Descriptor.sockets(.datagram)
            let socket = try DatagramSocket(adopting: near, loop: loop, maximumSize: .max)
            let received = socket.received.log()
            // The kernel accepts no datagram that is larger than its send buffer.
            let buffer = try #require(RawSocket.option(far, SOL_SOCKET, SO_SNDBUF))
            let data = noise(min(150_000, Int(buffer) / 2))
            #expect(send(far, data, data.count, 0) == data.count && send(far, data, 0, 0) == 0)
            try loop.turns { received.values.count == 2 }
            #expect(received.values.map { Array($0.bytes) } == [data, []])
            #expect(!received.values.contains { $0.isTruncated })
            socket.close()
            close(far)
            try loop.turns(2)
            loop.dispose()
        }
    }
}
