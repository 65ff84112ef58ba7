// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import RequestReply
import SchedulerEngine
import Testing

/// The protocol of Docs/WritingAProtocol.md on a network with faults.
@Suite struct RequestReplySimulation {
    @Test("Each request ends once, and each reply belongs to its request, despite faults")
    func faults() throws {
        try Simulation.explore(seeds: 1...200) { world in
            let (server, client) = (world.host("server"), world.host("client"))
            let (address, ends, replies) = (server.address(port: 7000), Number(), Number())
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
                                let payload = Bytes("\(number)" + String(repeating: ".", count: number % 7))
                                client.request(payload).subscribe(
                                    onValue: { reply in
                                        world.check(reply == payload, "\(payload) is answered with \(reply)")
                                        replies.increment()
                                    },
                                    onTermination: { _ in
                                        withExtendedLifetime(client) { ends.increment() }
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
            world.check(ends.value == 20 && replies.value <= 20, "\(ends.value) of 20 requests have ended")
        }
    }
}
