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
    @Suite final class UnixTests {
        private let folder: TestFolder

        init() throws { folder = try TestFolder() }

        deinit { folder.remove() }

        private func exchange(_ address: SocketAddress, _ kind: LoopKind) throws {
            let loop = try kind.make()
            let listener = try whenFree { try Listener(on: address, loop: loop) }
            #expect(listener.localAddress == address)
            listener.connections.subscribe(
                onValue: { connection in connection.send(from: connection.received) },
                onTermination: noFailure()
            )
            let connecting = Connection.connect(to: address, loop: loop).log()
            try loop.turns { connecting.hasEnded }
            let connection = try #require(connecting.values.first)
            #expect(connection.remoteAddress == address)
            let received = connection.received.log()
            let data = noise(500_000)
            connection.send(Bytes(data))
            connection.finishSending()
            try loop.turns { received.hasEnded }
            #expect(received.bytes == data && received.isCompleted)
            listener.close()
            try loop.turns(2)
            loop.dispose()
        }

        @Test("N17: a listener serves a path, and its file is removed with it", arguments: LoopKind.all)
        func path(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            try exchange(.unix(path: path), kind)
            #expect(access(path, F_OK) != 0)
        }

        @Test("N17: a listener serves an abstract name", arguments: LoopKind.all)
        func abstract(_ kind: LoopKind) throws {
            let address = abstractName()
            #expect(address.description.hasPrefix("@swift-reactive-") && address.path == nil)
            try exchange(address, kind)
            // The name is free again.
            try exchange(address, kind)
        }

        @Test("N17: a dead server's file is replaced, and a live server's file is not", arguments: LoopKind.all)
        func stale(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            let address = try SocketAddress.unix(path: path)
            RawSocket.leaveStale(address)
            try waitUntilNobodyHas(address, .stream)
            #expect(access(path, F_OK) == 0)
            let loop = try kind.make()
            let listener = try Listener(on: address, loop: loop)
            let refusal = #expect(throws: SocketError.self) { try Listener(on: address, loop: loop) }
            #expect(refusal?.code == .addressInUse && refusal?.message.contains(path) == true)
            // The refused listener has not removed the file.
            let connecting = Connection.connect(to: address, loop: loop).log()
            try loop.turns { connecting.hasEnded }
            #expect(connecting.isCompleted)
            listener.close()
            try loop.turns(2)
            #expect(access(path, F_OK) != 0)
            loop.dispose()
        }

        @Test(
            "N25: the file of any bound socket is not replaced, whether it listens or not",
            arguments: LoopKind.all
        )
        func bound(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            let address = try SocketAddress.unix(path: path)
            let loop = try kind.make()
            for kind in SocketKind.allCases {
                let other = RawSocket.bound(to: address, kind)
                let refusal = #expect(throws: SocketError.self) { try Listener(on: address, loop: loop) }
                #expect(refusal?.code == .addressInUse, "beside a socket of kind \(kind)")
                let datagrams = #expect(throws: SocketError.self) { try DatagramSocket(on: address, loop: loop) }
                #expect(datagrams?.code == .addressInUse, "beside a socket of kind \(kind)")
                #expect(access(path, F_OK) == 0)
                close(other)
                try waitUntilNobodyHas(address, .datagram)
                // The file belongs to a closed socket now.
                let listener = try whenFree { try Listener(on: address, loop: loop) }
                listener.close()
                try loop.turns(2)
            }
            loop.dispose()
        }

        @Test("N25: the probe of a live server causes no connection there", arguments: LoopKind.all)
        func unnoticed(_ kind: LoopKind) throws {
            let address = try SocketAddress.unix(path: folder.path("socket"))
            let loop = try kind.make()
            let listener = try Listener(on: address, loop: loop)
            let accepted = listener.connections.log()
            let refusal = #expect(throws: SocketError.self) { try Listener(on: address, loop: loop) }
            #expect(refusal?.code == .addressInUse)
            try loop.turns(5)
            #expect(accepted.values.isEmpty)
            listener.close()
            try loop.turns(2)
            loop.dispose()
        }

        @Test(
            "N25: if several servers start at a dead server's file, exactly one listens, and it is reachable",
            arguments: LoopKind.all
        )
        func race(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            let address = try SocketAddress.unix(path: path)
            let loop = try kind.make()
            for round in 0..<Platform.rounds(50) {
                Descriptor.close(RawSocket.bound(to: address))
                try waitUntilNobodyHas(address, .datagram)
                let made = Recorder<Listener>()
                let codes = Recorder<SocketError.Code>()
                let threads = (0..<8).map { _ in
                    TestThread {
                        do { made.append(try Listener(on: address, loop: loop)) } catch let error as SocketError {
                            codes.append(error.code)
                        }
                    }
                }
                for thread in threads { try thread.join() }
                #expect(made.count == 1 && codes.values == Array(repeating: .addressInUse, count: 7), "round \(round)")
                let listener = try #require(made.values.first)
                let accepted = listener.connections.log()
                let connecting = Connection.connect(to: address, loop: loop).log()
                try loop.turns { accepted.values.count == 1 && connecting.isCompleted }
                listener.close()
                try loop.turns { access(path, F_OK) != 0 }
            }
            loop.dispose()
        }

        @Test("N17: a file that is not a socket is not replaced", arguments: LoopKind.all)
        func clash(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            let file = open(path, O_CREAT | O_WRONLY, 0o600)
            close(file)
            let loop = try kind.make()
            let refusal = #expect(throws: SocketError.self) { try Listener(on: .unix(path: path), loop: loop) }
            #expect(refusal?.code == .addressInUse && access(path, F_OK) == 0)
            unlink(path)
            loop.dispose()
        }

        @Test("N17: a closing listener does not remove a file that replaced its own", arguments: LoopKind.all)
        func replaced(_ kind: LoopKind) throws {
            let path = folder.path("socket")
            let loop = try kind.make()
            let old = try Listener(on: .unix(path: path), loop: loop)
            unlink(path)
            let new = try Listener(on: .unix(path: path), loop: loop)
            old.close()
            try loop.turns(2)
            #expect(access(path, F_OK) == 0)
            new.close()
            try loop.turns(2)
            #expect(access(path, F_OK) != 0)
            loop.dispose()
        }

        @Test("N17: a path that is too long, empty or unreachable is refused", arguments: LoopKind.all)
        func badPaths(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let long = #expect(throws: SocketError.self) {
                try SocketAddress.unix(path: String(repeating: "x", count: 108))
            }
            #expect(long?.code == .pathTooLong && long?.message.contains("107") == true)
            #expect(throws: Never.self) { try SocketAddress.unix(path: String(repeating: "x", count: 107)) }
            let longName = #expect(throws: SocketError.self) {
                try SocketAddress.abstract(String(repeating: "x", count: 107))
            }
            #expect(longName?.code == .pathTooLong)
            let empty = #expect(throws: SocketError.self) { try SocketAddress.unix(path: "") }
            #expect(empty?.code == .invalidAddress)
            let zero = #expect(throws: SocketError.self) { try SocketAddress.unix(path: "a\0b") }
            #expect(zero?.code == .invalidAddress)
            let nowhere = try SocketAddress.unix(path: "/tmp/reactive-no-such-folder/x")
            let listening = #expect(throws: SocketError.self) { try Listener(on: nowhere, loop: loop) }
            #expect(listening?.code == .noSuchPath)
            let connecting = Connection.connect(to: nowhere, loop: loop).log()
            try loop.turns { connecting.hasEnded }
            #expect(connecting.code == .noSuchPath)
            loop.dispose()
        }

        @Test("N17: an attempt waits while the queue is full, and times out if it stays full", arguments: LoopKind.all)
        func fullQueue(_ kind: LoopKind) throws {
            let address = abstractName()
            let loop = try kind.make()
            let listener = try Listener(on: address, loop: loop, backlog: 0)
            let settings = ConnectSettings(timeout: .milliseconds(60))
            let logs = (0..<4).map { _ in Connection.connect(to: address, loop: loop, settings: settings).log() }
            try loop.turns { logs.contains { $0.hasEnded && !$0.isCompleted } }
            #expect(logs.contains { $0.code == .timedOut })
            let patient = Connection.connect(to: address, loop: loop).log()
            try loop.turns(5)
            #expect(!patient.hasEnded)
            listener.connections.subscribe(onValue: { _ in }, onTermination: noFailure())
            try loop.turns { patient.isCompleted }
            loop.dispose()
        }

        @Test(
            "N7: an attempt at a full queue delays the next address as usual, and leaves no timer behind",
            arguments: LoopKind.all
        )
        func fullQueueInRace(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let loop = try kind.make(clock: clock)
            let (full, free) = (abstractName(), abstractName())
            let listeners = try [full, free].map { try Listener(on: $0, loop: loop, backlog: 0) }
            let filler = RawSocket.connecting(to: full)
            let race = Connection.connect(toAnyOf: [full, free], loop: loop).log()
            let cancelled = Connection.connect(to: full, loop: loop).log()
            // Both attempts repeat after 10 ms, and the race tries the other address after 250 ms.
            for _ in 0..<5 {
                try loop.turns(3)
                #expect(!race.hasEnded && !cancelled.hasEnded)
                clock.advance(by: .milliseconds(49))
            }
            clock.advance(by: .milliseconds(5))
            try loop.turns { race.hasEnded }
            #expect(race.isCompleted && race.values.first?.remoteAddress == free)
            cancelled.subscription.dispose()
            race.values.first?.abort()
            for listener in listeners { listener.close() }
            Descriptor.close(filler)
            try loop.expectNothingLeft()
            #expect(cancelled.ends.isEmpty)
            loop.dispose()
        }
    }
}
