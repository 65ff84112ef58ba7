// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import Testing

private enum Ambient {
    @TaskLocal static var id = 0
}

extension Sockets {
    /// A connection sends with the values of its subscribers.
    @Suite struct PropagationTests {
        @Test("Received frames arrive with the subscriber's values, also after a pause", arguments: LoopKind.all)
        func received(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let seen = Box<[String]>([])
            let note: @Sendable (String) -> Void = { what in seen.update { $0.append("\(what) \(Ambient.id)") } }
            let subscription = SignalSubscription()
            Ambient.$id.withValue(7) {
                connection.received.map { chunk in
                    note("chunk")
                    return chunk
                }.framed(by: .newline, limit: 100).map { String($0) }.propagating(Ambient.$id).subscribe(
                    in: subscription,
                    onValue: { note($0) },
                    onTermination: { _ in note("end") }
                )
            }
            try Ambient.$id.withValue(9) {
                client.send(Array("a\nb\n".utf8))
                try server.loop.turns { seen.value.count == 3 }
                let pause = subscription.pause()
                client.send(Array("c\n".utf8))
                try server.loop.turns(5)
                pause.dispose()
                try server.loop.turns { seen.value.count == 5 }
                client.finish()
                try server.loop.turns { seen.value.count == 6 }
            }
            #expect(seen.value == ["chunk 7", "a 7", "b 7", "chunk 7", "c 7", "end 7"])
            connection.finishSending()
            try server.expectNothingLeft(after: client)
        }

        @Test("The result of sending arrives with the subscriber's values", arguments: LoopKind.all)
        func sent(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let seen = Box<[Int]>([])
            Ambient.$id.withValue(7) {
                _ = connection.send(from: Signal<Bytes, Never>.just("hello")).propagating(Ambient.$id)
                    .subscribe(onTermination: { _ in seen.update { $0.append(Ambient.id) } })
            }
            try Ambient.$id.withValue(9) { try server.loop.turns { !seen.value.isEmpty } }
            #expect(seen.value == [7])
            client.finish()
            connection.close()
            try server.loop.turns(5)
            try server.expectNothingLeft(after: client)
        }
    }
}
