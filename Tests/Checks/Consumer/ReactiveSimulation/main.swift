import Reactive
import ReactiveSimulation

// Prints "ok" after an echo through a network that loses packets. Start it with SWIFT_DETERMINISTIC_HASHING=1.
try Simulation.explore(seeds: 1...10) { world in
    let server = world.host("server"), client = world.host("client")
    let address = server.address(port: 7000)
    server.start { loop in
        try Server(on: address, loops: LoopGroup(loop)) { connection in connection.send(from: connection.received) }
    }
    client.start { loop in
        Connection.connect(to: address, loop: loop)
            .flatMap(.latest) { connection in
                connection.send(line: "hello")
                return connection.lines.take(1)
            }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
    }
    world.network.faults = [.loss(probability: 0.1)]
    try world.run(for: .seconds(60))
}
print("ok")
