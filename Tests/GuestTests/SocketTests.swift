// SPDX-License-Identifier: MIT
import Glibc
import GuestHosts
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import Testing

extension Guests {
    @Suite struct Sockets {
        @Test("Sockets, timers and tasks work on a guest while another thread runs its host", arguments: GuestKind.all)
        func everything(_ kind: GuestKind) async throws {
            let loop = try kind.make(isOwned: true)
            let near = SocketPair()
            let echoed = Box(0)
            let done = Latch(2)
            let connections = Box<[Connection]>([])
            let ends = (dup(near.near), dup(near.far))
            loop.execute {
                guard let server = try? Connection(adopting: ends.0, loop: loop),
                    let client = try? Connection(adopting: ends.1, loop: loop)
                else { return }
                connections.value = [server, client]
                server.send(from: server.received)
                client.received.subscribe(
                    onValue: { bytes in
                        if echoed.update({ echoed in
                            echoed += bytes.count
                            return echoed
                        }) == 100_000 {
                            done.arrive()
                        }
                    },
                    onTermination: { _ in }
                )
                for _ in 0..<1000 { client.send(Bytes(String(repeating: "x", count: 100))) }
                loop.schedule(after: .milliseconds(2)) { done.arrive() }
            }
            let isCurrent = Box<Bool?>(nil)
            Task.detached(executorPreference: loop.guest) { isCurrent.value = loop.isCurrent }
            try await eventually("task on the guest") { isCurrent.value != nil }
            #expect(isCurrent.value == true)
            try await eventually("echo and timer") { done.isOpen }
            #expect(echoed.value == 100_000)
            loop.dispose()
            connections.value = []
        }
    }
}
