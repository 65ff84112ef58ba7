// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ConnectTests {
        /// A local address that refuses connections. Another process could soon reuse a port that was just closed,
        /// but the system never assigns port 1 automatically.
        static func closedAddress() -> SocketAddress {
            SocketAddress(family: .ipv4, bytes: ownLoopback().bytes, port: 1)
        }

        @Test("Each subscription sends one connection, which carries data both ways", arguments: LoopKind.all)
        func connecting(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            server.listener.connections.subscribe(
                onValue: { connection in
                    connection.send(from: connection.received)
                },
                onTermination: noFailure()
            )
            let connect = Connection.connect(to: server.listener.localAddress, loop: server.loop)
            let first = connect.log()
            let second = connect.log()
            try server.loop.turns { first.isCompleted && second.isCompleted }
            let connection = try #require(first.values.first)
            #expect(first.values.count == 1 && second.values.count == 1)
            #expect(connection.remoteAddress == server.listener.localAddress)
            #expect(connection.localAddress != second.values.first?.localAddress)
            let received = connection.received.log()
            let data = noise(200_000)
            connection.send(Bytes(data))
            connection.finishSending()
            try server.loop.turns { received.hasEnded }
            #expect(received.bytes == data && received.isCompleted)
            second.values.first?.abort()
            try server.expectNothingLeft()
        }

        @Test(
            "N7, N1: a refused attempt fails once, names the address and leaves nothing behind",
            arguments: LoopKind.all
        )
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let address = Self.closedAddress()
            let log = Connection.connect(to: address, loop: loop).log()
            try loop.turns { log.hasEnded }
            #expect(log.code == .refused && log.values.isEmpty)
            guard let error = log.failure else { return }
            #expect(error.errno == ECONNREFUSED && error.message.contains(address.description))
            #expect(OpenSockets.count(on: address) == 0)
            try loop.expectNothingLeft()
            loop.dispose()
        }

        @Test("N7: an attempt without an answer times out and closes its descriptor", arguments: LoopKind.all)
        func timeout(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let silent = SilentPeer()
            defer { silent.close() }
            let own = ownLoopback()
            let settings = ConnectSettings(timeout: .milliseconds(50), localAddress: own)
            let start = loop.now
            let log = Connection.connect(to: silent.address, loop: loop, settings: settings).log()
            try loop.turns { OpenSockets.connecting(from: own) == 1 || log.hasEnded }
            try loop.turns { log.hasEnded }
            #expect(log.code == .timedOut && loop.now - start >= .milliseconds(50))
            #expect(OpenSockets.connecting(from: own) == 0)
            try loop.turns(5)
            #expect(log.ends.count == 1)
            try loop.expectNothingLeft()
            loop.dispose()
        }

        @Test("N7: a disposed attempt sends nothing and leaves nothing behind", arguments: LoopKind.all)
        func cancelled(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let silent = SilentPeer()
            defer { silent.close() }
            let own = ownLoopback()
            let settings = ConnectSettings(localAddress: own)
            let log = Connection.connect(to: silent.address, loop: loop, settings: settings).log()
            try loop.turns { OpenSockets.connecting(from: own) == 1 }
            log.subscription.dispose()
            try loop.turns { OpenSockets.connecting(from: own) == 0 }
            #expect(log.ends.isEmpty)
            try loop.expectNothingLeft()
            // The loop disposes this subscription before it begins the attempt.
            let early = Log<Connection, SocketError>()
            loop.execute { early.subscription.dispose() }
            Connection.connect(to: silent.address, loop: loop, settings: settings).log(into: early)
            try loop.expectNothingLeft()
            #expect(early.ends.isEmpty)
            // Disposing the loop ends an attempt without a notification too.
            let other = try kind.make()
            let orphan = Connection.connect(to: silent.address, loop: other, settings: settings).log()
            try other.turns { OpenSockets.connecting(from: own) == 1 }
            other.dispose()
            #expect(OpenSockets.connecting(from: own) == 0 && orphan.ends.isEmpty)
            let late = Connection.connect(to: silent.address, loop: other).log()
            #expect(late.code == .loop)
            loop.dispose()
        }

        @Test(
            "The first of several addresses to accept is used, and the other attempts are closed",
            arguments: LoopKind.all
        )
        func race(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let silent = SilentPeer()
            defer { silent.close() }
            let own = ownLoopback()
            let accepted = server.accepted
            server.listener.connections.subscribe(onValue: { accepted.append($0) }, onTermination: noFailure())
            let settings = ConnectSettings(attemptDelay: .milliseconds(20), localAddress: own)
            let addresses = [Self.closedAddress(), silent.address, server.listener.localAddress]
            let start = server.loop.now
            let log = Connection.connect(toAnyOf: addresses, loop: server.loop, settings: settings).log()
            try server.loop.turns { log.hasEnded }
            #expect(log.isCompleted && log.values.first?.remoteAddress == server.listener.localAddress)
            // The race waited for the silent address, but not for the one that refused.
            #expect(server.loop.now - start >= .milliseconds(20))
            #expect(OpenSockets.connecting(from: own) == 0)
            log.values.first?.abort()
            try server.loop.turns { server.accepted.values.count == 1 }
            server.accepted.values.first?.abort()
            try server.expectNothingLeft()
        }

        @Test("If all addresses fail, the error names each of them", arguments: LoopKind.all)
        func allFail(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (one, two) = (Self.closedAddress(), Self.closedAddress())
            let log = Connection.connect(toAnyOf: [one, two], loop: loop).log()
            try loop.turns { log.hasEnded }
            #expect(log.code == .refused)
            guard let error = log.failure else { return }
            #expect(error.message.contains(one.description) && error.message.contains(two.description))
            let none = Connection.connect(toAnyOf: [], loop: loop).log()
            try loop.turns { none.hasEnded }
            #expect(none.code == .unknownHost)
            try loop.expectNothingLeft()
            loop.dispose()
        }

        @Test("N19: a name is resolved, and its addresses are tried in turn", arguments: LoopKind.all)
        func names(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (dead, alive) = (Self.closedAddress(), server.listener.localAddress)
            let pool = WorkerPool(name: "test", maximumThreads: 1)
            let resolver = Resolver(pool: pool) { (host, _) throws(SocketError) in
                switch host {
                case "echo.test": return [dead, alive]
                case "dead.test": return [dead]
                default: throw SocketError(.unknownHost, "unknown host \(host)")
                }
            }
            func connect(_ host: String, _ port: UInt16) -> Log<Connection, SocketError> {
                Connection.connect(toHost: host, port: Int(port), loop: server.loop, resolver: resolver).log()
            }
            let (found, refused) = (connect("echo.test", alive.port), connect("dead.test", dead.port))
            let (unknown, numeric) = (connect("nobody.test", 1), connect(alive.host, alive.port))
            try server.loop.turns { [found, refused, unknown, numeric].allSatisfy { $0.hasEnded } }
            #expect(found.values.first?.remoteAddress == alive && numeric.isCompleted)
            #expect(refused.code == .refused && unknown.code == .unknownHost)
            for connection in found.values + numeric.values { connection.abort() }
            try server.expectNothingLeft()
        }

        @Test("Address families alternate, beginning with the family of the first address")
        func alternation() throws {
            let four = try (1...3).map { try SocketAddress(host: "127.0.0.\($0)", port: 1) }
            let six = try (1...2).map { try SocketAddress(host: "::\($0)", port: 1) }
            #expect(ConnectRace.alternating(six + four) == [six[0], four[0], six[1], four[1], four[2]])
            #expect(ConnectRace.alternating(four + six) == [four[0], six[0], four[1], six[1], four[2]])
            #expect(ConnectRace.alternating([]).isEmpty)
        }

        @Test(
            "The local address and the options are applied, and an unavailable local address fails",
            arguments: LoopKind.all
        )
        func settings(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            var settings = ConnectSettings(options: [SocketOption.keepAlive(true), SocketOption.noDelay(false)])
            settings.localAddress = try SocketAddress(host: "127.0.0.9", port: 0)
            let log = Connection.connect(to: server.listener.localAddress, loop: server.loop, settings: settings).log()
            try server.loop.turns { log.hasEnded }
            let connection = try #require(log.values.first)
            #expect(connection.localAddress?.host == "127.0.0.9")
            let seen = Recorder<Bool>()
            server.loop.execute {
                let values = try? [connection.option(.keepAlive), connection.option(.noDelay)]
                for value in values ?? [] { seen.append(value) }
            }
            try server.loop.turns { seen.values == [true, false] }
            // On another thread the number could already be reused.
            let refusal = #expect(throws: SocketError.self) { try connection.setOption(SocketOption.keepAlive(false)) }
            #expect(refusal?.code == .loop)
            settings.localAddress = try SocketAddress(host: "192.0.2.1", port: 0)
            let bad = Connection.connect(to: server.listener.localAddress, loop: server.loop, settings: settings).log()
            try server.loop.turns { bad.hasEnded }
            #expect(bad.code == .addressNotAvailable)
            connection.abort()
            try server.expectNothingLeft()
        }
    }
}
