// SPDX-License-Identifier: MIT
import Glibc
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

    @Test("A process without a descriptor for its loop fails the world")
    func noDescriptor() {
        let failure = #expect(throws: SimulationFailure.self) {
            try Simulation.run(seed: 1) { world in
                world.host("host", descriptorLimit: 0).start { _ in }
                try world.run(for: .seconds(1))
            }
        }
        #expect(failure?.host == "host")
        #expect((failure?.error as? LoopError)?.errno == EMFILE)
    }

    @Test("A loop refuses a closed descriptor and a regular file")
    func unwatchable() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let loop = try host.makeLoop("loop")
            for descriptor in [host.kernel.firstDescriptor + 100, host.kernel.openFile()] {
                let error = #expect(throws: LoopError.self) { try loop.watch(descriptor, for: .read) { _ in } }
                #expect(error?.code == .badDescriptor)
            }
        }
    }

    @Test("A wait reports the descriptor that ended it before the timers of the same instant")
    func endOfWait() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host", clockSkew: 0)
            let loop = try host.makeLoop("loop", thread: .caller)
            let order = SharedValue<[String]>([])
            let event = host.kernel.openEvent()
            _ = try loop.watch(event, for: .read) { _ in order.update { $0.append("watch") } }
            loop.schedule(after: .milliseconds(1)) { order.update { $0.append("timer") } }
            world.kernel.schedule(at: world.kernel.now + .milliseconds(1)) { host.kernel.signalEvent(event) }
            try host.perform { try loop.runOnce(waiting: true) }
            #expect(order.value == ["watch", "timer"])
            loop.dispose()
        }
    }

    @Test("A turn that runs another loop ends before the next turn of its own loop")
    func blockedTurn() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let order = SharedValue<[String]>([])
            host.start { loop in
                let event = host.kernel.openEvent()
                _ = try loop.watch(event, for: .read) { _ in
                    host.kernel.clearEvent(event)
                    order.update { $0.append("watch") }
                }
                host.kernel.signalEvent(event)
                let other = try host.makeLoop("other", thread: .caller)
                other.schedule(after: .milliseconds(1)) { order.update { $0.append("timer") } }
                try other.runOnce(waiting: true)
                other.dispose()
                order.update { $0.append("end") }
            }
            try world.run(for: .seconds(1))
            #expect(order.value == ["timer", "end", "watch"])
        }
    }

    @Test("A loop that is disposed between two turns ends, and the world continues")
    func disposedBetweenTurns() throws {
        try Simulation.run(seed: 1) { world in
            let loop = try world.host("host").makeLoop("loop")
            let calls = SharedValue(0)
            _ = loop.schedule(every: .seconds(1)) { calls.update { $0 += 1 } }
            try world.run(for: .seconds(1.5))
            loop.dispose()
            try world.run(for: .seconds(10))
            #expect(calls.value == 1)
        }
    }
}
