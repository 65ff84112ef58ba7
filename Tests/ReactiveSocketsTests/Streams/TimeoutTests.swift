// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct TimeoutTests {
        @Test("An idle connection times out, not early, and a busy one does not", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (quiet, one) = try server.connect()
            let (busy, two) = try server.connect()
            for connection in [one, two] { connection.setTimeouts(ConnectionTimeouts(idle: .milliseconds(80))) }
            let (first, second) = (one.received.log(), two.received.log())
            let start = server.loop.now
            var sent = 0
            try server.loop.turns {
                // Sends often enough even on a slow machine, where a gap would time out the other connection too.
                sent += busy.send([1])
                return first.hasEnded
            }
            #expect(server.loop.now - start >= .milliseconds(80))
            #expect(first.code == .timedOut && !second.hasEnded && sent > 0)
            guard let error = first.failure else { return }
            #expect(error.message.contains(one.remoteAddress?.description ?? "none"))
            try server.loop.turns { second.bytes.count == sent }
            two.abort()
            try server.expectNothingLeft(after: quiet, busy)
        }

        @Test(
            "Progress in sending counts as activity, but waiting for a peer that does not read does not",
            arguments: LoopKind.all
        )
        func stalled(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            connection.setTimeouts(ConnectionTimeouts(idle: .milliseconds(60)))
            let sent = connection.send(Bytes(noise(20_000_000))).log()
            try server.loop.turns { sent.hasEnded }
            #expect(sent.code == .timedOut)
            try server.expectNothingLeft(after: client)
        }

        @Test("A maximum lifetime ends a busy connection, unless the limit is set again", arguments: LoopKind.all)
        func whole(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (other, spared) = try server.connect()
            connection.setTimeouts(ConnectionTimeouts(lifetime: .milliseconds(50)))
            spared.setTimeouts(ConnectionTimeouts(idle: .milliseconds(20), lifetime: .milliseconds(20)))
            spared.setTimeouts(ConnectionTimeouts())
            let (log, sparedLog) = (connection.received.log(), spared.received.log())
            let start = server.loop.now
            try server.loop.turns {
                client.send([1])
                return log.hasEnded
            }
            #expect(server.loop.now - start >= .milliseconds(49) && log.code == .timedOut)
            #expect(!sparedLog.hasEnded)
            spared.abort()
            try server.expectNothingLeft(after: client, other)
        }

        @Test(
            "A limit of zero or less counts as one millisecond, even if it is set after the creation",
            arguments: LoopKind.all,
            0..<4
        )
        func zero(_ kind: LoopKind, _ index: Int) throws {
            let limits: [WritableKeyPath<ConnectionTimeouts, Duration?>] = [
                \.idle, \.readStalled, \.writeStalled, \.lifetime,
            ]
            let limit = limits[index]
            for duration in [Duration.zero, .seconds(-5), .seconds(Int64.min), .nanoseconds(1)] {
                var timeouts = ConnectionTimeouts()
                timeouts[keyPath: limit] = duration
                #expect(timeouts[keyPath: limit] == .milliseconds(1))
                let pair = try TimedPair(kind)
                try pair.fill()
                let received = pair.connection.received.log()
                pair.connection.setTimeouts(timeouts)
                try pair.loop.turns(2)
                #expect(pair.isOpen)
                try pair.pass(30)
                #expect(received.code == .timedOut)
            }
        }

        @Test("The longest limits never end a connection", arguments: LoopKind.all)
        func longest(_ kind: LoopKind) throws {
            let longest = Duration.seconds(Int64.max)
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(
                ConnectionTimeouts(idle: longest, readStalled: longest, writeStalled: longest, lifetime: longest)
            )
            let received = pair.connection.received.log()
            try pair.pass(1000)
            #expect(pair.isOpen && !received.hasEnded)
        }

        @Test("A timeout keeps neither the connection nor the loop alive", arguments: LoopKind.all)
        func lifetime(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, core) = try { () -> (RawPeer, Weak<ConnectionCore>) in
                let (client, connection) = try server.connect()
                connection.setTimeouts(ConnectionTimeouts(idle: .seconds(1000), lifetime: .seconds(1000)))
                let received = connection.received.log()
                client.send("some".utf8)
                try server.loop.turns { !received.values.isEmpty }
                received.subscription.dispose()
                server.listener.close()
                // The connection and its timers exist at this point. If they kept the loop alive, it would wait for
                // them.
                let loop = server.loop
                try TestThread { try loop.runUntilIdle() }.join("an idle loop")
                #expect(connection.core.value.isOpen)
                return (client, Weak(connection.core.value))
            }()
            try server.loop.turns { core.object == nil }
            #expect(try server.receiveToEnd(at: client).end == .end)
            try server.expectNothingLeft(after: client)
        }
    }
}
