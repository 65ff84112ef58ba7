// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport
import Synchronization

/// A thread of a simulated host. It runs only while it has the world's baton (``Strands``).
///
/// `@unchecked Sendable` is safe: only the thread that has the baton accesses the mutable fields.
final class Strand: @unchecked Sendable {
    enum Work {
        /// The turns of a loop.
        case loop(HostedLoop)
        /// A function that runs once.
        case function(@Sendable () throws -> Void)
    }

    enum Phase {
        /// The function has not begun, or the loop is between two turns.
        case outside
        /// In the function, or in a turn of the loop.
        case inside
        /// The function has returned, or the host's process has ended.
        case over
    }

    let host: SimulatedHost
    let name: String
    let work: Work
    var phase = Phase.outside
    /// How many strands it runs, one inside another, because its code runs the world. It cannot run itself then.
    var drivenCount = 0
    /// Whether it waits for another thread, and no other thread of its host has run since.
    var isWaiting = false
    /// It does not run before this instant.
    var stalledUntil: LoopInstant?
    /// A higher number runs first (``Interleaving/pct(depth:points:)``).
    var priority: Double
    /// The error of the loop's last turn.
    private(set) var turnError: LoopError?
    private(set) var hasThread = false
    private let spot = ParkingSpot()

    init(_ work: Work, named name: String, on host: SimulatedHost, priority: Double) {
        self.work = work
        self.name = name
        self.host = host
        self.priority = priority
    }

    /// Whether it is a loop between two turns.
    var isAtTurn: Bool { if case .loop = work { phase == .outside } else { false } }

    /// Whether the thread can run at this instant.
    func canRun(at now: LoopInstant) -> Bool {
        if phase == .over || isWaiting || drivenCount > 0 || !host.mayRun(at: now) { return false }
        if let end = stalledUntil, end > now { return false }
        guard case .loop(let loop) = work, phase == .outside else { return true }
        return loop.isQueued.load(ordering: .acquiring)
    }

    /// Blocks until the strand has the baton. Call it on the strand's own thread.
    func awaitBaton() { spot.park() }

    /// Gives the strand the baton. The caller must then wait for its own.
    ///
    /// - Throws: The system's refusal of a thread.
    func takeBaton(from strands: Strands) throws(SystemThread.Refusal) {
        if hasThread { return spot.unpark() }
        try SystemThread.detachWorker(name: name) { [self] in
            SimulatedDescriptors.beginOnThisThread()
            run(strands)
        }
        hasThread = true
    }

    private func run(_ strands: Strands) {
        switch work {
        case .function(let function):
            phase = .inside
            do {
                try host.process.run(function)
            } catch {
                host.world.fail(error, on: host)
            }
            phase = .over
        case .loop(let loop):
            while phase != .over {
                takeTurn(of: loop)
                if phase == .over { break }
                strands.returnBaton()
                awaitBaton()
            }
        }
        strands.returnBaton()
    }

    private func takeTurn(of loop: HostedLoop) {
        phase = .inside
        turnError = nil
        do throws(LoopError) {
            if try !loop.takeTurn() { host.world.loops.remove(loop) }
        } catch {
            turnError = error
        }
        if phase == .inside { phase = .outside }
    }
}
