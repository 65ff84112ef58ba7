// SPDX-License-Identifier: MIT
import Reactive
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// Unusual uses of worlds: busy loops, extreme durations, hosts that start after a crash.
@Suite struct LimitTests {
    @Test("A run ends although a loop always has work")
    func busy() throws {
        try Simulation.run(seed: 1) { world in
            world.stepLimit = 200_000
            let turns = SharedValue(0)
            world.host("host").start { loop in
                @Sendable func again() {
                    turns.update { $0 += 1 }
                    loop.execute { again() }
                }
                again()
            }
            try world.run(for: .milliseconds(10))
            #expect(world.now == .milliseconds(10))
            try world.run(for: .milliseconds(10))
            #expect(world.now == .milliseconds(20))
            #expect((1_000..<10_000).contains(turns.value))
        }
    }

    @Test("Durations of centuries do not trap")
    func durations() throws {
        let century = Duration.seconds(9_300_000_000)
        #expect("\(Fault.latency(.zero ... (century + .milliseconds(1))))".contains(".seconds(9300000000)"))
        try Simulation.run(seed: 1) { world in
            let (server, client) = (world.host("server"), world.host("client"))
            world.network.faults = [
                .latency(century...century), .crash(every: .seconds(1), lasting: .seconds(-5) ... .seconds(Int64.max)),
            ]
            client.start { loop in
                Connection.connect(to: server.address(port: 80), loop: loop)
                    .subscribe(onValue: { _ in }, onTermination: { _ in })
            }
            try world.run(for: .seconds(60))
            world.network.faults = []
            client.crash()
            try world.run(for: .seconds(Int64.max))
            client.start { loop in
                Connection.connect(to: server.address(port: 80), loop: loop)
                    .subscribe(onValue: { _ in }, onTermination: { _ in })
            }
            try world.run(for: .seconds(60))
        }
    }

    @Test("A program that starts after a crash runs on a machine that has booted")
    func startAfterCrash() throws {
        try Simulation.run(seed: 1) { world in
            let (server, client) = (world.host("server"), world.host("client"))
            let address = server.address(port: 80)
            let isConnected = SharedValue(false)
            server.crash()
            server.start { loop in
                try Server(on: address, loops: LoopGroup(loop)) { connection in
                    connection.send(from: connection.received)
                }
            }
            try world.run(for: .seconds(1))
            client.start { loop in
                Connection.connect(to: address, loop: loop)
                    .subscribe(onValue: { _ in isConnected.update { $0 = true } }, onTermination: { _ in })
            }
            try world.run(for: .seconds(1))
            #expect(isConnected.value)
        }
    }

    @Test("A pause of no time ends the old one, and leaves no event of it")
    func endedPause() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let turns = SharedValue(0)
            host.pause(for: .seconds(100))
            host.start { _ in turns.update { $0 += 1 } }
            #expect(world.kernel.nextEvent == world.kernel.now + .seconds(100))
            host.pause(for: .seconds(50))
            #expect(world.kernel.nextEvent == world.kernel.now + .seconds(50))
            host.pause(for: .zero)
            #expect(world.kernel.nextEvent == nil)
            try world.run(for: .seconds(1))
            #expect(turns.value == 1)
        }
    }

    @Test("The end of a process ends its pause")
    func pauseEnds() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let starts = SharedValue(0)
            host.start { _ in starts.update { $0 += 1 } }
            try world.run(for: .seconds(1))
            host.pause(for: .seconds(100))
            host.crash()
            host.restart()
            try world.run(for: .seconds(1))
            #expect(starts.value == 2)
        }
    }
}
