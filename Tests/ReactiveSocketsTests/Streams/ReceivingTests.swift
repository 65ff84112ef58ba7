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
    @Suite struct ReceivingTests {
        @Test(
            "Chunks arrive in order, then one termination, which later subscribers receive too",
            arguments: LoopKind.all
        )
        func receiving(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let log = connection.received.log()
            let data = noise(300_000)
            try server.send(data, from: client)
            client.finish()
            try server.loop.turns { log.hasEnded }
            #expect(log.bytes == data)
            #expect(log.isCompleted)
            let again = connection.received.log()
            try server.loop.turns { again.hasEnded }
            #expect(again.isCompleted && again.values.isEmpty)
            connection.finishSending()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N11: during a pause nothing is delivered, and the data follows after the resume",
            arguments: LoopKind.all
        )
        func pausing(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let log = connection.received.log()
            client.send([1])
            try server.loop.turns { log.bytes == [1] }
            let (one, two) = (log.subscription.pause(), log.subscription.pause())
            client.send([2])
            try server.loop.turns(10)
            one.dispose()
            client.send([3])
            try server.loop.turns(10)
            #expect(log.bytes == [1])
            two.dispose()
            try server.loop.turns { log.bytes == [1, 2, 3] }
            let hold = log.subscription.pause()
            client.send([4])
            client.finish()
            try server.loop.turns(10)
            #expect(log.bytes == [1, 2, 3] && !log.hasEnded)
            hold.dispose()
            try server.loop.turns { log.hasEnded }
            #expect(log.bytes == [1, 2, 3, 4] && log.isCompleted)
            connection.finishSending()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N11: a pause during a delivery, or before the first chunk, takes effect",
            arguments: LoopKind.all
        )
        func pausingInside(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (count, hold) = (Box(0), Box<(any Disposable)?>(nil))
            let subscription = SignalSubscription()
            hold.value = subscription.pause()
            connection.received.subscribe(
                in: subscription,
                onValue: { bytes in
                    count.update { $0 += bytes.count }
                    hold.value = subscription.pause()
                },
                onTermination: { _ in }
            )
            // Nothing is received, so the kernel may accept only a part.
            let sent = client.send(noise(200_000))
            try server.loop.turns(10)
            #expect(count.value == 0)
            var rounds = 0
            while count.value < sent {
                let before = count.value
                hold.value?.dispose()
                try server.loop.turns { count.value > before }
                let after = count.value
                try server.loop.turns(3)
                #expect(count.value == after)
                rounds += 1
            }
            #expect(rounds > 1)
            #expect(count.value == sent)
            subscription.dispose()
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("N11: a pause that ends while another thread subscribes has no lasting effect", arguments: LoopKind.all)
        func pauseThatEndsMeanwhile(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            for round in 0..<Platform.rounds(100) {
                let (subscription, count) = (SignalSubscription(), Box(0))
                // An earlier listener, which is notified first.
                subscription.onFlowChange { _ in }
                let hold = subscription.pause()
                let other = TestThread {
                    connection.received.subscribe(
                        in: subscription,
                        onValue: { _ in count.update { $0 += 1 } },
                        onTermination: { _ in }
                    )
                }
                try server.loop.turns(round % 4)
                hold.dispose()
                try other.join()
                client.send([1])
                try server.loop.turns { count.value == 1 }
                subscription.dispose()
            }
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("A receiver disposed by another thread does not block the next one", arguments: LoopKind.all)
        func takingOver(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let first = connection.received.log()
            try server.loop.turns(2)
            let second = Box<Log<Bytes, SocketError>?>(nil)
            server.loop.execute {
                // The loop has not been notified of the disposal yet.
                try? TestThread { first.subscription.dispose() }.join()
                second.value = connection.received.log()
            }
            client.send([1])
            try server.loop.turns { second.value?.bytes == [1] }
            try server.loop.turns(3)
            client.send([2])
            try server.loop.turns { second.value?.bytes == [1, 2] }
            #expect(first.bytes.isEmpty)
            second.value?.subscription.dispose()
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "A receiver disposed before the loop starts it never receives, and is released",
            arguments: LoopKind.all
        )
        func neverStarted(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            weak let first = { () -> Log<Bytes, SocketError> in
                let log = connection.received.log()
                log.subscription.dispose()
                return log
            }()
            let second = connection.received.log()
            client.send([1])
            try server.loop.turns { second.bytes == [1] }
            #expect(first == nil)
            second.subscription.dispose()
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("Many short pauses by other threads lose no bytes and do not stop the delivery", arguments: LoopKind.all)
        func pausingFromThreads(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let log = connection.received.log()
            let isOver = Box(false)
            let pausers = (0..<2).map { _ in
                TestThread {
                    while !isOver.value { log.subscription.pause().dispose() }
                }
            }
            let data = noise(2_000_000)
            let sender = TestThread {
                #expect(client.sendAll(data))
                client.finish()
            }
            // The last pause ends before the stream does, so only its resume can restart the stream.
            try server.loop.turns { log.values.reduce(0) { $0 + $1.count } > 1_000_000 }
            isOver.value = true
            for pauser in pausers { try pauser.join() }
            try server.loop.turns { log.hasEnded }
            try sender.join()
            #expect(log.bytes == data && log.isCompleted)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "A second observer is refused, and a later one continues where the first stopped",
            arguments: LoopKind.all
        )
        func observers(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let data = noise(500_000)
            let first = connection.received.log()
            let refused = connection.received.log()
            try server.loop.turns(2)
            #expect(refused.code == .alreadyReceiving)
            let sender = TestThread {
                #expect(client.sendAll(data))
                client.finish()
            }
            try server.loop.turns { first.values.count >= 2 }
            first.subscription.dispose()
            try server.loop.turns(5)
            let count = first.bytes.count
            #expect(count < data.count)
            let second = connection.received.log()
            try server.loop.turns { second.hasEnded }
            try sender.join()
            #expect(first.bytes.count == count && !first.hasEnded)
            #expect(first.bytes + second.bytes == data)
            connection.close()
            try server.expectNothingLeft(after: client)
        }
    }
}
