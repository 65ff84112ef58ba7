// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import RequestReply
import SchedulerEngine
import Synchronization
import Testing

/// The protocol of Docs/WritingAProtocol.md on a network with faults.
@Suite struct RequestReplySimulation {
    private final class Counts: Sendable {
        private let state = Mutex((ends: 0, replies: 0))

        func reply() { state.withLock { $0.replies += 1 } }
        func end() { state.withLock { $0.ends += 1 } }
        var ends: Int { state.withLock { $0.ends } }
        var replies: Int { state.withLock { $0.replies } }
    }

    @Test("Each request ends once, and each reply belongs to its request, despite faults")
    func faults() throws {
        try Simulation.explore(seeds: 1...200) { world in
            let (server, client) = (world.host("server"), world.host("client"))
            let (address, counts) = (server.address(port: 7000), Counts())
            server.start { loop in
                let service = RequestService(concurrency: 4) { payload in
                    Signal(just: payload).delay(.milliseconds(payload.count * 20), on: loop)
                }
                return try Server(on: address, loops: LoopGroup(loop)) { service.serve($0) }
            }
            client.start { loop in
                Connection.connect(to: address, loop: loop)
                    .retry(backoff: Backoff(first: .milliseconds(100), maximum: .seconds(1)), on: loop)
                    .subscribe(
                        onValue: { connection in
                            let client = RequestClient(connection)
                            for number in 0..<20 {
                                let payload = Bytes("\(number)".padded(to: 1 + number % 7))
                                client.request(payload).subscribe(
                                    onValue: { reply in
                                        world.check(reply == payload, "\(payload) is answered with \(reply)")
                                        counts.reply()
                                    },
                                    onTermination: { _ in
                                        withExtendedLifetime(client) { counts.end() }
                                    }
                                )
                            }
                        },
                        onTermination: { _ in }
                    )
            }
            world.network.faults = [
                .latency(.milliseconds(1) ... .milliseconds(50)), .reset(probability: 0.002).until(.seconds(20)),
                .partition(every: .seconds(3)).until(.seconds(20)),
            ]
            try world.run(for: .seconds(120))
            world.check(counts.ends == 20 && counts.replies <= 20, "\(counts.ends) of 20 requests have ended")
        }
    }
}

extension String {
    /// The text with dots behind it, so that it has this length.
    fileprivate func padded(to length: Int) -> String { self + String(repeating: ".", count: max(0, length - count)) }
}
