// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// Random operations of several threads on one loop: work, timers, and watches of descriptors that are closed and
/// opened again.
struct EngineProgram {
    /// What the threads share.
    private final class Books: Sendable {
        struct State {
            var watches: [Watched] = []
            var submitted = 0
            var ran = 0
            var order: [Int: Int] = [:]
            var timers = 0
            var fired = 0
        }

        let state = Lock(State())
    }

    /// A socket with a datagram in it, and its watch.
    private final class Watched: Sendable {
        let descriptor: Int32
        let calls = Lock(0)
        let watch = Lock<(any DescriptorWatch)?>(nil)
        let isDisposed = Lock(false)

        init(_ descriptor: Int32) { self.descriptor = descriptor }
    }

    let world: World
    let host: SimulatedHost
    private let books = Books()

    init(in world: World) {
        self.world = world
        host = world.host("host")
    }

    /// Starts a loop, or a guest of a loop, and threads that act on it.
    func start(threads: Int, steps: Int, asGuest: Bool = false) {
        let program = self
        host.start { main in
            let loop = asGuest ? try program.host.makeGuest("guest", of: main) : main
            for number in 0..<threads {
                let seed = program.world.random.next()
                program.host.startThread("thread \(number)") {
                    var random = SimulationRandom(seed: seed)
                    for step in 0..<steps { program.act(&random, loop, thread: number, step: step) }
                }
            }
            return loop
        }
    }

    private func act(_ random: inout SimulationRandom, _ loop: SimulatedLoop, thread: Int, step: Int) {
        switch random.below(10) {
        case 0, 1: submit(to: loop, thread: thread, step: step)
        case 2: time(random.below(2_000), on: loop, isCancelled: random.below(2) == 0)
        case 3, 4, 5: watch(on: loop)
        case 6, 7, 8: closeOne(random.below(1_000))
        default: try? host.yield()
        }
    }

    /// Work of one thread runs once, in the thread's order.
    private func submit(to loop: SimulatedLoop, thread: Int, step: Int) {
        books.state.withLock { state in state.submitted += 1 }
        loop.execute { [books, world] in
            let last = books.state.withLock { state in
                state.ran += 1
                defer { state.order[thread] = step }
                return state.order[thread] ?? -1
            }
            world.check(last < step, "work of step \(step) of thread \(thread) ran after that of step \(last)")
        }
    }

    private func time(_ microseconds: Int, on loop: SimulatedLoop, isCancelled: Bool) {
        let box = Fired()
        books.state.withLock { state in state.timers += 1 }
        let timer = loop.schedule(after: .microseconds(microseconds)) { [books] in
            box.fire()
            books.state.withLock { state in state.fired += 1 }
        }
        if isCancelled {
            timer.dispose()
            if !box.hasFired { books.state.withLock { state in state.timers -= 1 } }
        }
    }

    private final class Fired: Sendable {
        private let state = Lock(false)
        func fire() { state.withLock { fired in fired = true } }
        var hasFired: Bool { state.withLock { fired in fired } }
    }

    /// Opens a socket that is readable, and watches it on the loop.
    private func watch(on loop: SimulatedLoop) {
        let (books, host, world) = (books, host, world)
        loop.execute {
            let descriptor = host.kernel.open(.datagram, .ipv4)
            guard descriptor >= 0 else { return }
            _ = host.kernel.bind(descriptor, .loopback(port: 0))
            guard let address = host.kernel.localAddress(descriptor) else { return }
            let watched = Watched(descriptor)
            do {
                let watch = try loop.watch(descriptor, for: .read) { [unowned watched] _ in
                    watched.calls.withLock { calls in calls += 1 }
                    var byte: UInt8 = 0
                    _ = withUnsafeMutableBytes(of: &byte) { memory in
                        host.kernel.receiveDatagram(descriptor, memory)
                    }
                }
                watched.watch.withLock { current in current = watch }
            } catch {
                world.fail(error, on: host)
            }
            books.state.withLock { state in state.watches.append(watched) }
            _ = withUnsafeBytes(of: UInt8(1)) { bytes in host.kernel.sendDatagram(descriptor, bytes, to: address) }
        }
    }

    /// Disposes a watch, and then closes its descriptor, as rule D7 permits on any thread.
    private func closeOne(_ number: Int) {
        let taken: Watched? = books.state.withLock { state in
            state.watches.isEmpty ? nil : state.watches.remove(at: number % state.watches.count)
        }
        guard let taken, let watch = taken.watch.withLock({ watch in watch.take() }) else { return }
        watch.dispose()
        _ = host.kernel.close(taken.descriptor)
    }

    /// Checks the outcome when nothing is left to do.
    func check() {
        let (silent, submitted, ran) = books.state.withLock { state in
            let silent = state.watches.filter { $0.calls.withLock { calls in calls == 0 } }
            return (silent.map(\.descriptor), state.submitted, state.ran)
        }
        world.check(silent.isEmpty, "watches of readable descriptors were never called: \(silent)")
        world.check(submitted == ran, "\(ran) of \(submitted) jobs ran")
        let (timers, fired) = books.state.withLock { state in (state.timers, state.fired) }
        world.check(fired >= timers, "\(fired) timers of \(timers) fired")
    }
}

@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation"))
struct EngineInterleavings {
    @Test(
        "Threads that act on a loop lose no work, no timer and no readable descriptor",
        arguments: Interleaving.explored
    )
    func engine(_ interleaving: Interleaving) throws {
        try Simulation.explore(seeds: Interleaving.seeds) { world in
            world.interleaving = interleaving
            let program = EngineProgram(in: world)
            program.start(threads: 3, steps: 20)
            try world.runUntilIdle(limit: .seconds(10))
            program.check()
            try world.run(for: .zero)
        }
    }
}
