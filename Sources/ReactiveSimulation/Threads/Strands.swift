// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The threads of a world's hosts. One thread at a time has the baton and runs; all others are blocked.
///
/// The world's thread is the driver: it gives the baton to a strand, and the strand returns it at a yield point or when
/// its work is done. The seed decides which strand runs and at which yield point it stops. All members are called by
/// the thread that has the baton.
final class Strands: Sendable {
    struct State {
        var random: SimulationRandom
        var interleaving = Interleaving.wholeTurns
        var all: [Strand] = []
        /// The strand that has the baton, or nil for the driver.
        var running: Strand?
        /// The parking spots of the drivers, innermost last. A strand that runs the world itself is also a driver.
        var drivers: [ParkingSpot] = []
        var points = 0
        var stops = 0
        /// The yield points at which a running strand gets the lowest priority.
        var changePoints: Set<Int> = []
        var lowestPriority = 0.0
        /// The running strand must return the baton at its next point.
        var stopsSoon = false
        /// The number of successive steps in which waiting threads only checked their condition again.
        var lateSteps = 0
        /// Whether a host is ending. Its strands then run without being stopped.
        var isDraining = false
    }

    /// Whether the world has threads or an interleaving. If not, yield points do nothing.
    let isActive = Atomic<Bool>(false)
    let state: Lock<State>

    init(seed: UInt64) { state = Lock(State(random: SimulationRandom(seed: seed))) }

    // MARK: Strands

    func add(_ work: Strand.Work, named name: String, on host: SimulatedHost) {
        state.withLockAtOnce { state in
            let priority = 1 + Double(state.random.below(1 << 30))
            state.all.append(Strand(work, named: name, on: host, priority: priority))
        }
        if case .function = work { isActive.store(true, ordering: .relaxed) }
    }

    var interleaving: Interleaving {
        get { state.withLockAtOnce { state in state.interleaving } }
        set {
            state.withLockAtOnce { state in
                state.interleaving = newValue
                state.changePoints = []
                guard case .pct(let depth, let points) = newValue.policy else { return }
                for _ in 1..<depth { state.changePoints.insert(state.points + 1 + state.random.below(points)) }
            }
            if newValue != .wholeTurns { isActive.store(true, ordering: .relaxed) }
        }
    }

    // MARK: The driver

    /// Runs a strand until it returns the baton.
    ///
    /// - Throws: The error of a loop's turn, or `systemCall` if the system refuses a thread.
    func run(_ strand: Strand) throws(LoopError) {
        let spot = ParkingSpot()
        let previous = state.withLockAtOnce { state in
            defer { state.running = strand }
            strand.isStopped = false
            state.drivers.append(spot)
            state.running?.drivenCount += 1
            return state.running
        }
        defer {
            state.withLockAtOnce { state in
                previous?.drivenCount -= 1
                state.running = previous
                state.drivers.removeLast()
            }
        }
        strand.stalledUntil = nil
        do {
            try strand.takeBaton(from: self)
        } catch {
            throw LoopError(.systemCall, errno: error.errno, "cannot start a thread for \(strand.name)")
        }
        SimulatedProcess.runWithout { spot.park() }
        if !strand.isWaiting { state.withLockAtOnce { state in state.lateSteps = 0 } }
        if let error = strand.turnError { throw error }
    }

    /// Unblocks the driver. Called by the running strand, which then waits for the baton or exits.
    func returnBaton() {
        // Safe by construction: a strand runs only inside `run`, which has added its driver.
        state.withLockAtOnce { state in state.drivers.last }?.unpark()
    }

    // MARK: Yield points

    /// A yield point of the thread that has the baton, as code of a host.
    func pass(_ kind: YieldPoint.Kind, on host: HostKernel, of world: World) {
        if !isActive.load(ordering: .relaxed) {
            // Without simulated threads, a real thread holds what the caller waits for.
            if kind == .wait { YieldPoint.yieldProcessor() }
            return
        }
        let now = world.kernel.now
        let (running, isStopped) = state.withLockAtOnce { state in (state.running, state.passes(kind, at: now)) }
        guard let running else {
            if kind == .wait { runOther(of: host, in: world) }
            return
        }
        if !isStopped { return }
        returnBaton()
        running.awaitBaton()
    }

    /// The names of the threads of a host that run functions.
    func names(on kernel: HostKernel) -> [String] {
        state.withLockAtOnce { state in
            state.all.filter { $0.host.kernel === kernel && !$0.isLoop && $0.phase != .over }.map(\.name)
        }
    }

    /// Whether a function of a host runs, so that its thread can be blocked.
    var isInFunction: Bool {
        isActive.load(ordering: .relaxed) && state.withLockAtOnce { state in state.running?.isLoop == false }
    }

    /// Blocks the thread that has the baton until `isDone`, or until an instant of the world. If the driver calls it, the
    /// driver runs the world in the meantime.
    func block(in world: World, until deadline: LoopInstant, _ isDone: @escaping () -> Bool) {
        if isDone() { return }
        guard let running = state.withLockAtOnce({ state in state.running }) else {
            return world.drive(until: deadline, isDone)
        }
        state.withLockAtOnce { state in
            state.wakeWaiting(of: running.host)
            running.isStopped = true
        }
        running.wait = Strand.Wait(deadline: deadline, isDone: isDone)
        returnBaton()
        running.awaitBaton()
        running.wait = nil
    }

    /// The driver itself waits for a strand of a host, for example for a lock.
    private func runOther(of host: HostKernel, in world: World) {
        let other = state.withLockAtOnce { state in
            state.stopsSoon = true
            return state.all.first { strand in
                strand.host.kernel === host && strand.phase == .inside && !strand.isWaiting && strand !== state.running
            }
        }
        // If there is no such strand, a real thread holds the lock.
        guard let other else { return YieldPoint.yieldProcessor() }
        do {
            try run(other)
        } catch {
            world.fail(error, on: other.host)
        }
    }

    // MARK: The end of a process

    /// How often a strand may wait after its process has ended.
    private static let mostWaits = 10_000

    /// Ends the strands of a host whose kernel has closed all descriptors. They first run to their end, without stops.
    ///
    /// A strand that only waits never ends. Its thread stays blocked.
    func end(_ host: SimulatedHost) {
        let own = state.withLockAtOnce { state in
            state.isDraining = true
            defer { state.all.removeAll { $0.host === host && $0 !== state.running } }
            return state.all.filter { $0.host === host }
        }
        defer { state.withLockAtOnce { state in state.isDraining = false } }
        let running = state.withLockAtOnce { state in state.running }
        for strand in own where strand.phase == .outside { withExtendedLifetime(strand.cancel()) {} }
        if let running, running.host === host { running.phase = .over }
        var waits = 0
        while waits < Self.mostWaits {
            let inside = own.filter { $0.phase == .inside && $0.drivenCount == 0 && $0 !== running && $0.canEnd }
            if inside.isEmpty { break }
            for strand in inside {
                try? run(strand)
                waits += 1
            }
        }
        // The threads of loops wait for another turn, which must not follow.
        for strand in own where strand.hasThread && strand !== running && strand.isLoop && strand.phase != .inside {
            strand.phase = .over
            try? run(strand)
        }
    }
}

extension Strand {
    /// Whether a call of the thread returns, now that its process has ended. A deadline counts as reached.
    fileprivate var canEnd: Bool { wait.map { $0.deadline != .distantFuture || $0.isDone() } ?? true }
}
