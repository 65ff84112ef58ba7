// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// Threads that code of a host starts, blocks and joins.
@Suite struct ProgramTests {
    /// Runs `body` on a thread of a host, and expects that it returns.
    private func run(seeds: ClosedRange<UInt64> = 1...20, _ body: @escaping @Sendable (SimulatedHost) throws -> Void) {
        for seed in seeds {
            let obstacle = Simulation.runProgram(seed: seed, limit: .seconds(3_600)) { host in
                do { try body(host) } catch { Issue.record("seed \(seed): \(error)") }
            }
            #expect(obstacle == nil, "seed \(seed)")
        }
    }

    @Test("A park lasts for simulated time, or until the unpark of another thread")
    func parks() {
        run { host in
            let (spot, start) = (ParkingSpot(), host.world.now)
            #expect(!spot.park(nanoseconds: 3_600_000_000_000 / 2))
            #expect(host.world.now - start >= .seconds(1_800))
            let other = SystemThread.orTrap(name: "other") { spot.unpark() }
            #expect(spot.park(nanoseconds: 1_000_000_000))
            other.join()
            #expect(host.world.now - start < .seconds(1_801))
        }
    }

    @Test("A join waits until the closure has been released, and returns at once on the thread itself")
    func joins() {
        run { _ in
            let gone = SharedValue(false)
            let own = SharedValue<SystemThread?>(nil)
            let thread = SystemThread.orTrap(name: "joined") { [last = LastReference { gone.update { $0 = true } }] in
                withExtendedLifetime(last) { _ = ParkingSpot().park(nanoseconds: 1_000) }
                own.value?.join()
            }
            own.update { $0 = thread }
            for _ in 0..<2 { thread.join() }
            #expect(gone.value)
            own.update { $0 = nil }
        }
    }

    @Test("A loop owns a simulated thread, which ends with the loop")
    func ownedLoop() {
        run { host in
            let loop = try host.makeLoop("own", thread: .owned)
            let spot = ParkingSpot()
            loop.schedule(after: .seconds(60)) { spot.unpark() }
            spot.park()
            #expect(host.world.now >= .seconds(60))
            loop.dispose()
            #expect(SimulatedProcess.current?.threads?.names == ["program"])
        }
    }

    @Test("The threads of a worker pool are simulated, and end when they are idle")
    func workerPool() {
        run { host in
            let pool = WorkerPool(name: "pool", maximumThreads: 2)
            let done = SharedValue(0)
            let spot = ParkingSpot()
            for _ in 0..<10 {
                pool.execute {
                    _ = ParkingSpot().park(nanoseconds: 1_000_000)
                    done.update { $0 += 1 }
                    if done.value == 10 { spot.unpark() }
                }
            }
            spot.park()
            #expect(done.value == 10)
            #expect(host.world.now >= .milliseconds(5))
            _ = ParkingSpot().park(nanoseconds: 10_000_000_000)
            #expect(SimulatedProcess.current?.threads?.names == ["program"])
            withExtendedLifetime(pool) {}
        }
    }

    @Test("A seed gives the same interleaving of threads in every run")
    func sameSteps() {
        let orders = (0..<2).map { _ in
            let order = SharedValue<[Int]>([])
            run(seeds: 7...7) { _ in
                let threads = (0..<5).map { number in
                    SystemThread.orTrap(name: "\(number)") {
                        for _ in 0..<5 {
                            _ = ParkingSpot().park(nanoseconds: 100)
                            order.update { $0.append(number) }
                        }
                    }
                }
                for thread in threads { thread.join() }
            }
            return order.value
        }
        #expect(orders[0].count == 25)
        #expect(orders[0] == orders[1])
        #expect(orders[0] != orders[0].sorted())
    }

    @Test("A program that waits forever is reported with its threads")
    func waitsForever() {
        let obstacle = Simulation.runProgram(seed: 1, limit: .seconds(10)) { host in
            SystemThread.orTrap(name: "stuck") { ParkingSpot().park() }.join()
        }
        #expect(obstacle?.contains("program, stuck") == true, "\(obstacle ?? "it ended")")
    }
}

private final class LastReference: Sendable {
    private let gone: @Sendable () -> Void

    init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }

    deinit { gone() }
}
