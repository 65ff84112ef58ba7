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
        /// No function: it has begun, or will never begin. The running function is released when it has ended.
        case none
    }

    /// What the thread waits for.
    struct Wait {
        let deadline: LoopInstant
        let isDone: () -> Bool
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
    private(set) var work: Work
    var phase = Phase.outside
    /// How many strands this one runs, one inside another, because its own code runs the world. While the number is not
    /// 0, this strand cannot be chosen to run.
    var drivenCount = 0
    /// Whether it waits for another thread, and no other thread of its host has run since.
    var isWaiting = false
    /// What a blocked thread waits for.
    var wait: Wait?
    /// It does not run before this instant.
    var stalledUntil: LoopInstant?
    /// A higher number runs first (``Interleaving/pct(depth:points:)``).
    var priority: Double
    /// Whether it runs a loop of the world.
    let isLoop: Bool
    /// The error of the loop's last turn.
    private(set) var turnError: LoopError?
    /// Its thread. nil before it has run. The lock of ``Strands`` protects it and `isStopped`, which the watchdog reads.
    var thread: ThreadStack.Thread?
    /// Whether it has returned the baton in the middle of its work.
    var isStopped = false
    private(set) var hasThread = false
    private let spot = ParkingSpot()

    init(_ work: Work, named name: String, on host: SimulatedHost, priority: Double) {
        self.work = work
        if case .loop = work { isLoop = true } else { isLoop = false }
        self.name = name
        self.host = host
        self.priority = priority
    }

    /// Whether it is a loop between two turns.
    var isAtTurn: Bool { isLoop && phase == .outside }

    /// Whether its function has ended, so that nothing refers to it any more.
    var isFinishedFunction: Bool { if case .none = work { phase == .over } else { false } }

    /// Whether the thread can run at this instant.
    func canRun(at now: LoopInstant) -> Bool {
        if phase == .over || isWaiting || drivenCount > 0 || !host.mayRun(at: now) { return false }
        if let end = stalledUntil, end > now { return false }
        if let wait, wait.deadline > now, !wait.isDone() { return false }
        guard case .loop(let loop) = work, phase == .outside else { return true }
        return loop.isQueued.load(ordering: .acquiring)
    }

    /// Blocks until the strand has the baton. Call it on the strand's own thread.
    func awaitBaton() { SimulatedProcess.runWithout { spot.park() } }

    /// Gives the strand the baton. The caller must then wait until it gets the baton back.
    ///
    /// - Throws: The system's refusal of a thread.
    func takeBaton(from strands: Strands) throws(SystemThread.Refusal) {
        if hasThread { return spot.unpark() }
        // A thread of the real system, even if the driver is code of a host.
        try SimulatedProcess.runWithout { () throws(SystemThread.Refusal) in
            try SystemThread.detachWorker(name: name) { [self] in
                SimulatedDescriptors.beginOnThisThread()
                strands.state.withLockAtOnce { _ in thread = .current }
                ThreadStack.permittingCapture { run(strands) }
            }
        }
        hasThread = true
    }

    /// Ends a thread that has not begun, or a loop between two turns. Returns what the caller must release without a lock.
    func cancel() -> Work {
        phase = .over
        defer { if case .function = work { work = .none } }
        return work
    }

    private func run(_ strands: Strands) {
        switch work {
        case .none: break
        case .function:
            phase = .inside
            performFunction()
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

    /// Performs the function and releases it, as code of the host.
    @inline(never)
    private func performFunction() {
        host.process.run {
            guard case .function(let function) = work else { return }
            work = .none
            do {
                try function()
            } catch {
                host.world.fail(error, on: host)
            }
        }
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
