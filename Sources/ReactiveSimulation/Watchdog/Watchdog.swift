// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSupport

/// A thread that observes, in real time, the worlds that run. It reports a world whose step does not end.
///
/// The process has one watchdog. Its thread starts with the first run of a world.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    /// The number of observations of a step within its limit.
    private static let observations: Int64 = 10
    private static let shortestInterval: Int64 = 5_000_000
    private static let longestInterval: Int64 = 1_000_000_000
    /// The number of intervals without a world after which the thread waits for the next world.
    private static let idleIntervals = 30

    private struct Watched {
        let world: World
        /// The thread that runs the world.
        let thread: ThreadStack.Thread
        var timer: BlockTimer
    }

    private struct State {
        var worlds: [Watched] = []
        /// The nanoseconds after which the thread observes again. `Int64.max` while it waits for a world, nil if there is no
        /// thread.
        var interval: Int64?
    }

    private let state = Lock(State())
    private let spot = ParkingSpot()

    /// Runs `body`, which runs a world on the calling thread, and observes the world in the meantime.
    func watch<Result>(_ world: World, _ body: () throws -> Result) rethrows -> Result {
        begin(world)
        defer { end(world) }
        return try ThreadStack.permittingCapture(body)
    }

    private func begin(_ world: World) {
        let watched = Watched(world: world, thread: .current, timer: BlockTimer(step: world.steps))
        let interval = Self.interval(for: world.blockingLimit)
        let previous = state.withLockAtOnce { state in
            defer { state.interval = min(interval, state.interval ?? .max) }
            state.worlds.append(watched)
            return state.interval
        }
        guard let previous else { return start() }
        if previous > interval { spot.unpark() }
    }

    private func end(_ world: World) {
        let last: Watched? = state.withLockAtOnce { state in
            state.worlds.lastIndex { $0.world === world }.map { state.worlds.remove(at: $0) }
        }
        withExtendedLifetime(last) {}
    }

    private func start() {
        // A thread of the real system, even if the caller is code of a host.
        SimulatedProcess.runWithout {
            // If the system refuses the thread, worlds are not observed.
            try? SystemThread.detachWorker(name: "sim-watchdog") { [self] in observeForever() }
        }
    }

    /// How often a step with this limit is observed, in nanoseconds.
    private static func interval(for limit: Duration?) -> Int64 {
        guard let limit else { return longestInterval }
        return min(max(limit.saturatedNanoseconds / observations, shortestInterval), longestInterval)
    }

    // MARK: The thread

    private func observeForever() {
        var last = reactive_monotonic_ns()
        var idle = 0
        while true {
            let interval = state.withLockAtOnce { state in
                let shortest = state.worlds.map { Self.interval(for: $0.world.blockingLimit) }.min()
                let interval = shortest ?? (idle >= Self.idleIntervals ? .max : Self.longestInterval)
                state.interval = interval
                return interval
            }
            _ = spot.park(nanoseconds: interval)
            let now = reactive_monotonic_ns()
            idle = observe(elapsed: now - last, interval: min(interval, Self.longestInterval)) ? 0 : idle + 1
            last = now
        }
    }

    /// Observes all worlds. Returns whether there is one.
    private func observe(elapsed: Int64, interval: Int64) -> Bool {
        let (blocked, isBusy) = state.withLockAtOnce { state in
            var blocked: [Watched] = []
            for place in state.worlds.indices {
                let world = state.worlds[place].world
                let limit = world.blockingLimit?.saturatedNanoseconds
                let isBlocked = state.worlds[place].timer.observe(
                    step: world.steps,
                    elapsed: elapsed,
                    interval: interval,
                    limit: limit
                )
                if isBlocked { blocked.append(state.worlds[place]) }
            }
            return (blocked, !state.worlds.isEmpty)
        }
        for watched in blocked { watched.world.reportBlock(watched.world.blockReport(runBy: watched.thread)) }
        return isBusy
    }
}
