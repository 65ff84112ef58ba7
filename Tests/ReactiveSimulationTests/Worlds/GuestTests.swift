// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import ReactiveSupport
import SchedulerEngine
import Testing

/// Loops that are guests of other loops of a simulated host.
@Suite struct GuestTests {
    @Test("A guest runs work and timers, and serves connections, in the turns of its host")
    func serves() throws {
        try Simulation.explore(seeds: 1...50) { world in
            let (server, client) = (world.host("server"), world.host("client"))
            let address = server.address(port: 80)
            let received = SharedValue("")
            let times = SharedValue<[Duration]>([])
            server.start { loop in
                let guest = try server.makeGuest("guest", of: loop)
                guest.schedule(after: .milliseconds(500)) { times.update { $0.append(world.now) } }
                return try Listener(on: address, loop: guest).connections.subscribe(
                    onValue: { connection in connection.send(from: connection.received) },
                    onTermination: { _ in }
                )
            }
            client.start { loop in
                let guest = try client.makeGuest("guest", of: loop)
                Connection.connect(to: address, loop: guest)
                    .subscribe(
                        onValue: { connection in
                            connection.send("hello")
                            connection.received.subscribe(
                                onValue: { bytes in received.update { $0 += String(decoding: bytes, as: UTF8.self) } },
                                onTermination: { _ in }
                            )
                        },
                        onTermination: { _ in }
                    )
            }
            try world.run(for: .seconds(2))
            #expect(received.value == "hello")
            let time = try #require(times.value.first)
            // The clock of the host drifts.
            #expect(time >= .milliseconds(499) && time < .milliseconds(502), "\(time)")
        }
    }

    @Test("A guest ends with its process, and its host releases it", arguments: [true, false])
    func ends(crashes: Bool) throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let reference = Lock<Weak<SimulatedLoop>?>(nil)
            let count = SharedValue(0)
            host.start { loop in
                let guest = try host.makeGuest("guest", of: loop)
                reference.withLock { reference in reference = Weak(guest) }
                return guest.schedule(every: .seconds(1)) { count.update { $0 += 1 } }
            }
            try world.run(for: .seconds(3))
            #expect(count.value >= 2)
            if crashes { host.crash() } else { host.exit() }
            let before = count.value
            try world.run(for: .seconds(3))
            #expect(count.value == before)
            let isReleased = reference.withLock { reference in reference != nil && reference?.object == nil }
            #expect(isReleased)
        }
    }

    @Test("A guest is refused outside of its host's work, and without a descriptor")
    func refusals() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host", descriptorLimit: 3)
            let codes = SharedValue<[LoopError.Code]>([])
            host.start { loop in
                let other = try host.makeLoop("other")
                do throws(LoopError) {
                    _ = try host.makeGuest("guest", of: other)
                } catch {
                    codes.update { $0.append(error.code) }
                }
                do throws(LoopError) {
                    _ = try host.makeGuest("guest", of: loop)
                } catch {
                    codes.update { $0.append(error.code) }
                }
            }
            try world.run(for: .seconds(1))
            #expect(codes.value == [.systemCall, .systemCall], "\(codes.value)")
        }
    }
}
