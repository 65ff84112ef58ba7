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
        @Test("Chunks come in order, then the end, once, and again for who asks later", arguments: LoopKind.all)
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

        @Test("N11: after a pause nothing comes; what came meanwhile comes after it", arguments: LoopKind.all)
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
            "N11: a pause from inside the delivery, and one that is there before the first chunk",
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
                }
            )
            try server.send(noise(200_000), from: client)
            try server.loop.turns(10)
            #expect(count.value == 0)
            var rounds = 0
            while count.value < 200_000 {
                let before = count.value
                hold.value?.dispose()
                try server.loop.turns { count.value > before }
                let after = count.value
                try server.loop.turns(3)
                #expect(count.value == after)
                rounds += 1
            }
            #expect(rounds > 1)
            #expect(count.value == 200_000)
            subscription.dispose()
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("N11: a pause that ends while another thread subscribes does not last", arguments: LoopKind.all)
        func pauseThatEndsMeanwhile(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            for round in 0..<Machine.rounds(100) {
                let (subscription, count) = (SignalSubscription(), Box(0))
                // Somebody who listens already, and is told first.
                subscription.onFlowChange { _ in }
                let hold = subscription.pause()
                let other = TestThread {
                    connection.received.subscribe(in: subscription, onValue: { _ in count.update { $0 += 1 } })
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

        @Test("Who has gone, as far as other threads are concerned, is in nobody's way", arguments: LoopKind.all)
        func takingOver(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let first = connection.received.log()
            try server.loop.turns(2)
            let second = Box<Log<Bytes, SocketError>?>(nil)
            server.loop.execute {
                // The loop has not heard of it yet.
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
            "Who is disposed before the loop has heard of them never receives, and is let go of",
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

        @Test("Pauses from other threads, many and short, lose nothing and stall nothing", arguments: LoopKind.all)
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
                client.setBlocking(true)
                #expect(client.send(data) == data.count)
                client.finish()
            }
            // The last pause is over before the stream is: nothing but the pause itself can get it going again.
            try server.loop.turns { log.values.reduce(0) { $0 + $1.count } > 1_000_000 }
            isOver.value = true
            for pauser in pausers { try pauser.join() }
            try server.loop.turns { log.hasEnded }
            try sender.join()
            #expect(log.bytes == data && log.isCompleted)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("One observer at a time; another goes on where it stopped", arguments: LoopKind.all)
        func observers(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let data = noise(500_000)
            let first = connection.received.log()
            let refused = connection.received.log()
            try server.loop.turns(2)
            #expect(refused.code == .alreadyReceiving)
            let sender = TestThread {
                client.setBlocking(true)
                #expect(client.send(data) == data.count)
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
