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
    /// Failures of discarded results are reported once. Failures that something receives are not.
    @Suite struct UnhandledFailureTests {
        private struct Mine: Error {}

        /// Records the failures that name the peer of this connection.
        private func recorder(_ connection: Connection) throws -> FailureRecorder {
            let peer = try #require(connection.remoteAddress).description
            return FailureRecorder { failure in
                (failure.error as? SocketError)?.message.contains("\(peer)") == true
            }
        }

        private func code(_ failure: UnhandledFailure?) -> SocketError.Code? { (failure?.error as? SocketError)?.code }

        @Test("A discarded send(from:) reports the peer's reset once, on the loop", arguments: LoopKind.all, 0..<4)
        func discarded(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let recorder = try recorder(connection)
            switch way {
            case 0: connection.send(from: connection.received)
            case 1: connection.send(from: connection.received.map { $0 }.framed(by: .newline, limit: 100))
            case 2: connection.send(from: connection.received.observe(on: server.loop, limit: 8))
            default: connection.send(from: Signal<Bytes, Never>.never)
            }
            // Without a receiver, only a time limit or a write notices the reset.
            if way == 3 { server.loop.execute { connection.send("bytes") } }
            try server.loop.turns(3)
            client.reset()
            try server.loop.turns {
                if way == 3 { connection.send("more") }
                return !recorder.failures.isEmpty
            }
            try server.loop.turns(3)
            #expect(recorder.operations == ["Connection.send(from:)"])
            #expect(code(recorder.failures.first) == .reset)
            // Later results of the connection fail with an error that has been reported.
            connection.send(from: Signal<Bytes, Never>.never)
            connection.send("late")
            try server.loop.turns(3)
            #expect(recorder.failures.count == 1)
        }

        @Test("A failure is reported if another thread has disposed its receiver", arguments: LoopKind.all, 0..<3)
        func disposedElsewhere(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let recorder = try recorder(connection)
            let subscription = SignalSubscription()
            switch way {
            case 0: connection.received.subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
            case 1:
                connection.send(from: Signal<Bytes, Never>.never)
                    .subscribe(in: subscription, onTermination: { _ in })
            default:
                // More than the peer's system and ours accept, so the result waits.
                connection.send(Bytes([UInt8](repeating: 1, count: 32 * 1024 * 1024)))
                    .subscribe(in: subscription, onTermination: { _ in })
            }
            try server.loop.turns(2)
            server.loop.execute {
                // The loop removes the subscriber in a later job.
                try? TestThread { subscription.dispose() }.join()
                connection.core.value.fail(.system("cannot receive from \(connection.core.value.peer)", ECONNRESET))
            }
            try server.loop.turns { !recorder.failures.isEmpty }
            #expect(recorder.operations == [way == 1 ? "Connection.send(from:)" : "Connection"])
            withExtendedLifetime(client) {}
        }

        @Test("A failure that another connection passes on is not reported again", arguments: LoopKind.all)
        func passedOn(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (_, other) = try server.connect()
            let recorder = try recorder(connection)
            let seen = Box(0)
            other.send(from: connection.received).subscribe(onTermination: { _ in seen.increment() })
            try server.loop.turns(3)
            client.reset()
            try server.loop.turns { seen.value == 1 }
            try server.loop.turns(3)
            #expect(recorder.failures.isEmpty)
        }

        @Test("A failure that something receives is not reported", arguments: LoopKind.all, 0..<6)
        func received(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let recorder = try recorder(connection)
            let seen = Box(0)
            let count: @Sendable (Termination<SocketError>) -> Void = { _ in seen.increment() }
            switch way {
            case 0: connection.send(from: connection.received).subscribe(onTermination: count)
            case 1:
                connection.send(from: connection.received)
                connection.ended.subscribe(onTermination: count)
            case 2:
                connection.send(from: Signal<Bytes, Never>.never)
                connection.received.subscribe(onValue: { _ in }, onTermination: count)
            case 3:
                connection.received.subscribe(onValue: { _ in connection.send("reply") }, onTermination: count)
            case 4:
                connection.send(from: connection.received)
                connection.send(from: Signal<Bytes, Never>.never).subscribe(onTermination: count)
            default:
                // The observer leaves before the end, so the discarded result of the echo is left.
                connection.ended.subscribe(onTermination: count).dispose()
                connection.send(from: connection.received)
            }
            client.send("question".utf8)
            try server.loop.turns(3)
            client.reset()
            try server.loop.turns { way == 5 ? !recorder.failures.isEmpty : seen.value > 0 }
            try server.loop.turns(3)
            #expect(recorder.failures.count == (way == 5 ? 1 : 0))
            #expect(seen.value == (way == 5 ? 0 : 1))
        }

        @Test("An end caused by this side is not reported as a failure", arguments: LoopKind.all, 0..<5)
        func ended(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let recorder = try recorder(connection)
            connection.send(from: connection.received)
            connection.send(from: Signal<Bytes, Never>.never)
            try server.loop.turns(2)
            switch way {
            case 0: connection.abort()
            case 1: connection.close()
            case 2: connection.close(within: .zero)
            case 3: connection.finishSending()
            default: server.loop.dispose()
            }
            if way < 4 {
                try server.loop.turns(3)
                client.close()
                try server.loop.turns(3)
                connection.send("late")
                try server.loop.turns(3)
            }
            #expect(recorder.failures.isEmpty, "\(recorder.failures)")
        }

        @Test("A stored result reports its failure when it is released unobserved", arguments: LoopKind.all)
        func stored(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            for isObserved in [true, false] {
                let (client, connection) = try server.connect()
                let recorder = try recorder(connection)
                var result: Signal<Never, SocketError>? = connection.send(from: connection.received)
                client.reset()
                try server.loop.turns { !connection.core.value.isOpen }
                try server.loop.turns(3)
                #expect(recorder.failures.isEmpty)
                if isObserved {
                    let log = try #require(result).log()
                    try server.loop.turns { log.hasEnded }
                    #expect(log.code == .reset)
                }
                result = nil
                try server.loop.turns(3)
                #expect(recorder.failures.count == (isObserved ? 0 : 1))
            }
        }

        @Test("A discarded send(from:) reports the failure of its source", arguments: LoopKind.all)
        func source(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (_, connection) = try server.connect()
            let recorder = try recorder(connection)
            connection.send(from: Signal<Bytes, Mine>.fail(Mine()))
            try server.loop.turns { !recorder.failures.isEmpty }
            try server.loop.turns(3)
            #expect(recorder.operations == ["Connection.send(from:)"])
            #expect(code(recorder.failures.first) == .sourceFailed)
        }

        @Test("A connection with several discarded results reports its failure once", arguments: LoopKind.all, 0..<4)
        func several(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let recorder = try recorder(connection)
            let failing = Subject<Bytes, Mine>()
            switch way {
            case 0:
                // Two sends, which the reset of the peer fails.
                connection.send(from: connection.received)
                connection.send(from: Signal<Bytes, Never>.never)
            case 1:
                // The failure of one source fails the other send.
                connection.send(from: Signal<Bytes, Never>.never)
                connection.send(from: failing)
            case 2:
                // The receiver passes the failure on to a send of the same connection, and another send follows.
                connection.send(from: connection.received)
                connection.send(from: failing)
            default:
                // One send has ended its source, and waits for the peer.
                connection.send(from: connection.received)
                connection.send(from: Signal<Bytes, Never>.just(Bytes(noise(20_000_000))))
            }
            try server.loop.turns(3)
            if way == 1 { failing.fail(Mine()) } else { client.reset() }
            try server.loop.turns { !recorder.failures.isEmpty }
            try server.loop.turns(3)
            #expect(recorder.failures.count == 1, "\(recorder.failures)")
            #expect(recorder.operations.first == "Connection.send(from:)")
        }

        @Test("A connection without an observer reports its failure", arguments: LoopKind.all)
        func unobserved(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (_, connection) = try server.connect()
            let recorder = try recorder(connection)
            connection.setTimeouts(ConnectionTimeouts(lifetime: .milliseconds(1)))
            try server.loop.turns { !recorder.failures.isEmpty }
            #expect(recorder.operations == ["Connection"])
            #expect(code(recorder.failures.first) == .timedOut)
        }
    }
}
