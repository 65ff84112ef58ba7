// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// The snippets of the doc comments.
@Suite struct DocComments {
    private func serve(on loop: SimulatedLoop) throws -> Server {
        try EchoService.serve(on: loop, at: SocketAddress(host: "0.0.0.0", port: 7000))
    }

    private func generateLoad(on loop: SimulatedLoop) throws {
        EchoService.request(10, of: "server", on: loop, Tally())
    }

    @Test("The snippet of World runs")
    func world() throws {
        try Simulation.run(seed: 1) { world in
            let server = world.host("server"), client = world.host("client")
            server.start { loop in try serve(on: loop) }
            client.start { loop in try generateLoad(on: loop) }
            try world.run(for: .seconds(60))
            #expect(!world.openDescriptors.isEmpty)
        }
    }

    @Test("The snippet of the product's page runs")
    func product() throws {
        try Simulation.explore(seeds: 1...100) { world in
            let server = world.host("server"), client = world.host("client")
            server.start { loop in try serve(on: loop) }
            client.start { loop in try generateLoad(on: loop) }
            world.network.faults = [.partition(every: .seconds(5)), .reset(probability: 0.001)]
            try world.run(for: .seconds(60))
        }
    }

    @Test("The snippet of Fault runs")
    func fault() throws {
        try Simulation.run(seed: 1) { world in
            world.network.faults = [
                .partition(every: .seconds(30)),
                .reset(probability: 0.001).between("client", "server"),
                .latency(.milliseconds(1) ... .seconds(2)).until(.seconds(600)),
            ]
            try world.run(for: .seconds(60))
            #expect(world.network.faults.count == 3)
        }
    }
}
