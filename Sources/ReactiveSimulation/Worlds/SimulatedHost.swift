// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSockets
import ReactiveSupport
public import SchedulerEngine

/// A simulated machine that runs one process: a kernel, addresses, a clock, and loops.
///
/// ``World/host(_:descriptorLimit:clockSkew:)`` creates it.
public final class SimulatedHost: Sendable {
    /// The host's name, which the resolver of every host of the world knows.
    public let name: String
    let world: World
    let kernel: HostKernel
    var clock: HostClock { kernel.clock }
    let process: SimulatedProcess
    private let descriptorLimit: Int
    private let state = Lock(State())

    private struct State {
        var phase = Phase.off
        var loops: [HostedLoop] = []
        var guests: [SimulatedLoop] = []
        /// The functions of ``start(_:)``, which a restart calls again.
        var programs: [@Sendable (SimulatedHost) -> Void] = []
        /// What the functions returned.
        var results: [any Sendable] = []
        var pause: (end: LoopInstant, event: any Disposable)?
    }

    private enum Phase { case off, running }

    init(_ name: String, in world: World, drift: Int64, descriptorLimit: Int) {
        self.name = name
        self.world = world
        self.descriptorLimit = descriptorLimit
        let kernel = world.kernel.addHost(named: name, descriptorLimit: descriptorLimit, drift: drift)
        self.kernel = kernel
        process = SimulatedProcess(
            sockets: SimulatedDescriptors.SocketCalls(kernel),
            random: { [unowned world] in world.nextRandom() },
            reportEscape: { [unowned world] in world.failEscape(on: name) },
            yield: { [unowned world] kind in world.strands.pass(kind, on: kernel, of: world) },
            threads: HostThreads(of: kernel, in: world)
        )
        kernel.owner.withLockAtOnce { owner in owner = Weak(self) }
    }

    /// The host's IPv4 address with port 0.
    public var address: SocketAddress { address(port: 0) }

    /// The host's IPv4 address with a port.
    public func address(port: UInt16) -> SocketAddress { kernel.address(port: port) }

    // MARK: Running code

    /// Creates a loop and runs `body` on it, as the main function of the host's process.
    ///
    /// The host retains the result of `body` until it exits or crashes, so a server that is returned stays up. An error
    /// that `body` throws is a failure of the world. Several calls create several loops in one process.
    ///
    /// - Parameter body: Called in the loop's first turn.
    public func start<Result: Sendable>(_ body: @escaping @Sendable (SimulatedLoop) throws -> Result) {
        begin { host in
            guard let loop = host.openLoop() else { return }
            loop.execute {
                do {
                    host.keep(try body(loop))
                } catch {
                    host.world.fail(error, on: host)
                }
            }
        }
    }

    /// Creates a loop and runs `body` in a task on it.
    ///
    /// The task and its children run on the loop. A task that moves to the global executor, such as an unstructured
    /// `Task { }` without an executor preference, leaves the simulation. The world then fails with `escapedTask`.
    /// `Task.sleep` waits in real time, which does not pass in the world, so wait with a timer signal. The main actor
    /// runs on the real main thread, which is not part of the world either. After the process has ended, the task never
    /// continues. Otherwise this is like ``start(_:)``.
    public func startTask<Result: Sendable>(
        _ body: @escaping @Sendable (SimulatedLoop) async throws -> Result
    ) {
        begin { host in
            guard let loop = host.openLoop() else { return }
            Task.detached(executorPreference: loop) {
                do {
                    host.keep(try await body(loop))
                } catch {
                    host.world.fail(error, on: host)
                }
            }
        }
    }

    /// Calls `body` immediately on the test's thread, with this host's sockets. It is not interleaved; see startThread.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func perform<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try process.run(body)
    }

    /// Runs `body` once on another thread of the host's process.
    ///
    /// The thread runs between the turns of the host's loops. With an interleaving, it may also run in the middle of a
    /// turn, and turns in the middle of `body`. If the process exits or crashes while `body` runs, its descriptors are
    /// closed and `body` then runs to its end. A `body` that has not begun is not called. `body` must not block, except
    /// in a call of ``yield()``.
    ///
    /// A restart does not call `body` again. To start the thread again after a restart, call this inside the function
    /// of ``start(_:)``.
    ///
    /// - Parameters:
    ///   - name: The thread's name in messages.
    ///   - body: What the thread does. An error that it throws is a failure of the world.
    public func startThread(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
        if world.reproduction.without.contains(self.name) { return }
        world.strands.add(.function(body), named: "\(self.name)/\(name)", on: self)
    }

    /// Lets other threads of the world run. The caller continues up to 20 µs of simulated time later.
    ///
    /// Call it in the function of ``startThread(_:_:)``, for example to wait until another thread has done something.
    /// In a turn of a loop, it lets other threads run only with a ``World/interleaving``.
    ///
    /// - Throws: ``SimulationError`` with the code `processEnded` after the host's process has ended, so that a function
    ///   that waits ends too.
    public func yield() throws(SimulationError) {
        if !isRunning { throw SimulationError(.processEnded, "the process of host \(name) has ended") }
        process.run { YieldPoint.letOthersRun() }
    }

    /// Creates a further loop of the host, for example for a `LoopGroup`. The world runs it.
    ///
    /// - Parameter name: The loop's name in messages.
    /// - Throws: `systemCall` if the host has no descriptor left.
    public func makeLoop(_ name: String) throws(LoopError) -> SimulatedLoop {
        let hosted = try HostedLoop(on: self, name: "\(self.name)/\(name)")
        state.withLockAtOnce { state in state.loops.append(hosted) }
        world.loops.add(hosted)
        world.strands.add(.loop(hosted), named: hosted.name, on: self)
        world.loops.append(hosted)
        return hosted.loop
    }

    /// Retains a guest until the process ends.
    func keep(guest: SimulatedLoop) { state.withLockAtOnce { state in state.guests.append(guest) } }

    private func begin(_ program: @escaping @Sendable (SimulatedHost) -> Void) {
        if world.reproduction.without.contains(name) { return }
        state.withLockAtOnce { state in
            state.programs.append(program)
            state.phase = .running
        }
        // After a crash, the machine boots first.
        if kernel.isDown { kernel.restart() }
        process.run { program(self) }
    }

    /// Starts the process without a loop.
    func start() { begin { _ in } }

    private func openLoop() -> SimulatedLoop? {
        let number = state.withLockAtOnce { state in state.loops.count }
        do {
            return try makeLoop(number == 0 ? "main" : "main-\(number)")
        } catch {
            world.fail(error, on: self)
            return nil
        }
    }

    private func keep(_ result: some Sendable) { state.withLockAtOnce { state in state.results.append(result) } }

    // MARK: The end of the process

    /// Ends the process: disposes its loops, and closes its descriptors as the system does when a process exits.
    ///
    /// Peers receive an end of stream, or a reset if received bytes are unread. The host stays on the network. A second
    /// call does nothing.
    public func exit() {
        leave { kernel.exit() }
    }

    /// Exits, and releases the functions of ``start(_:)``, which may retain this host.
    func end() {
        exit()
        let programs = state.withLockAtOnce { state in state.programs.takeAll() }
        withExtendedLifetime(programs) {}
    }

    /// Crashes the machine: its sockets disappear, and no peer is notified.
    ///
    /// A peer that sends receives no answer until the host is restarted, and then a reset. A second call does nothing.
    public func crash() {
        leave { kernel.crash() }
    }

    /// Boots the machine again after ``crash()`` or ``exit()``, and calls the functions of ``start(_:)`` again, in
    /// order. Traps if the process runs.
    public func restart() {
        if world.reproduction.without.contains(name) { return }
        let programs = state.withLockAtOnce { state in
            require(state.phase == .off, "host \(name) runs already: call exit() or crash() before restart()")
            state.phase = .running
            return state.programs
        }
        isExhausted = false
        kernel.restart()
        for program in programs { process.run { program(self) } }
    }

    /// Whether the process runs: after ``start(_:)``, and before ``exit()`` or ``crash()``.
    public var isRunning: Bool { state.withLockAtOnce { state in state.phase == .running } }

    private func leave(_ end: () -> Void) {
        let (loops, guests, results) = state.withLockAtOnce { state in
            defer {
                (state.loops, state.guests, state.results) = ([], [], [])
                (state.phase, state.pause) = (.off, nil)
            }
            return (state.loops, state.guests, state.results)
        }
        isExhausted = false
        // The kernel closes the descriptors first, so that nothing that the loops do when they are disposed reaches a
        // peer.
        end()
        world.strands.end(self)
        process.run {
            for guest in guests { guest.disposeWithProcess() }
            for hosted in loops {
                world.loops.remove(hosted)
                hosted.loop.disposeWithProcess()
            }
            withExtendedLifetime(results) {}
        }
    }

    // MARK: Its condition

    /// Creates a folder of the host's file system, in which Unix sockets can be bound. It stays after a crash.
    ///
    /// `/`, `/tmp`, `/run`, `/var/run`, `/var/tmp` and `/dev/shm` exist already. If the folder exists, it does nothing.
    ///
    /// - Parameter path: The absolute path, without a slash at the end. Parent folders need not exist.
    public func makeFolder(at path: String) { kernel.makeFolder(at: path) }

    /// Pauses the process for `duration`: it runs no turn, while its kernel still answers. A second call sets a new
    /// end. A duration of zero or less ends the pause.
    public func pause(for duration: Duration) {
        let end = world.kernel.now + duration
        // An event, so that time does not skip the end of the pause.
        let event = duration > .zero ? world.kernel.schedule(at: end) {} : nil
        let old = state.withLockAtOnce { state in
            defer { state.pause = event.map { (end, $0) } }
            return state.pause
        }
        old?.event.dispose()
    }

    /// Whether the process may run at this instant.
    func mayRun(at now: LoopInstant) -> Bool {
        state.withLockAtOnce { state in
            guard let end = state.pause?.end else { return true }
            if end > now { return false }
            state.pause = nil
            return true
        }
    }

    /// Whether the process can open no descriptor now (``Fault/descriptorExhaustion(every:lasting:)``).
    var isExhausted: Bool {
        get { kernel.descriptorLimit == 0 }
        set { kernel.descriptorLimit = newValue ? 0 : descriptorLimit }
    }

    /// Sends a process signal, such as `.terminate`, to the process. Without a handler it does nothing.
    public func send(_ signal: ProcessSignal) { kernel.raise(signal.rawValue) }

    /// The sockets that the process has open, as text.
    public var openDescriptors: [String] {
        kernel.openSockets.map { descriptor, text in "\(name): \(descriptor) \(text)" }
    }
}
