// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// Simulated hosts on a simulated network, in simulated time. One seed determines everything that happens in it.
///
/// ``Simulation/run(seed:diagram:_:)`` and ``Simulation/explore(seeds:shrinking:_:)`` create worlds.
///
/// ```swift
/// let server = world.host("server"), client = world.host("client")
/// server.start { loop in try serve(on: loop) }
/// client.start { loop in try generateLoad(on: loop) }
/// try world.run(for: .seconds(60))
/// ```
///
/// A world runs on the thread that calls ``run(for:)``. Each step runs one turn of a loop, one thread until it stops, or
/// the next event of the network. The seed decides which loop is next. Simulated time passes only between steps, so an
/// hour with few events takes milliseconds. Call the members of a world and of its hosts on that thread, outside of the
/// loops' work, except where their documentation allows more.
///
/// The kernel simulates TCP, UDP, Unix sockets, names, process signals and the loops' wake-ups. Child processes are not
/// simulated.
public final class World: Sendable {
    let reproduction: Reproduction
    /// The network between the hosts.
    public let network: Network
    let kernel: SimulatedNetwork
    let loops: LoopQueue
    let strands: Strands
    let state: Lock<State>

    struct State {
        var random: SimulationRandom
        var hosts: [SimulatedHost] = []
        var steps = 0
        /// The number of steps that were turns of loops.
        var turns = 0
        var stepLimit = 10_000_000
        var blockingLimit: Duration? = .seconds(10)
        /// Receives the reports of the watchdog, on its thread.
        var onBlock: @Sendable (String) -> Void = { report in StandardError.writeLine(report) }
        var failure: (error: any Error, host: String?, time: Duration, steps: Int)?
    }

    /// Whether the concurrency library reports tasks that leave a world for the global executor, whose threads and clock the
    /// seed does not decide. In a statically linked program, such tasks may not be detected.
    private static let watchesEscapedTasks =
        reactive_watch_global_executor { SimulatedProcess.current?.reportEscape() } != 0

    init(_ reproduction: Reproduction) {
        self.reproduction = reproduction
        SimulatedDescriptors.beginOnThisThread()
        _ = Self.watchesEscapedTasks
        var random = SimulationRandom(seed: reproduction.seed)
        let kernel = SimulatedNetwork(seed: random.next())
        self.kernel = kernel
        network = Network(kernel, reproduction, seed: random.next())
        loops = LoopQueue(seed: random.next())
        strands = Strands(seed: reproduction.seed ^ 0x7EAD)
        state = Lock(State(random: random))
    }

    /// The seed. The same seed, program and build give the same trace.
    public var seed: UInt64 { reproduction.seed }

    // MARK: Hosts

    /// Creates a host with its own kernel, addresses and clock.
    ///
    /// Other hosts reach it by its name or by its ``SimulatedHost/address``.
    ///
    /// - Parameters:
    ///   - name: The host's name, which must be unique in this world. Traps if it is not.
    ///   - descriptorLimit: The number of descriptors that the host's process can open.
    ///   - clockSkew: How much faster the host's clock runs than the world's, in parts per million. A negative number is
    ///     slower. nil lets the seed choose between -100 and 100.
    public func host(_ name: String, descriptorLimit: Int = 1024, clockSkew: Int? = nil) -> SimulatedHost {
        let drift = clockSkew ?? state.withLockAtOnce { state in state.random.below(201) - 100 }
        require(!hosts.contains { $0.name == name }, "this world already has a host named \(name)")
        require((-499_999...499_999).contains(drift), "a clock skew of \(drift) is not allowed: use -499999 to 499999")
        let host = SimulatedHost(name, in: self, drift: Int64(drift), descriptorLimit: descriptorLimit)
        state.withLockAtOnce { state in state.hosts.append(host) }
        network.add(host)
        return host
    }

    /// The hosts, in the order in which they were created.
    public var hosts: [SimulatedHost] { state.withLockAtOnce { state in state.hosts } }

    /// The sockets that the hosts have open, as text: the host, the descriptor and the addresses.
    public var openDescriptors: [String] { hosts.flatMap { host in host.openDescriptors } }

    // MARK: Time and randomness

    /// The world's time since its beginning. Any thread may read it.
    public var now: Duration { SimulatedNetwork.origin.duration(to: kernel.now) }

    /// A generator of the world's random numbers. Use it wherever your test makes a random choice.
    public var random: WorldRandom { WorldRandom(world: self) }

    /// The number of steps so far.
    public var steps: Int { state.withLockAtOnce { state in state.steps } }

    /// The number of turns of all loops so far.
    public var turns: Int { state.withLockAtOnce { state in state.turns } }

    /// The number of steps after which ``run(for:)`` fails. The default is ten million.
    public var stepLimit: Int {
        get { state.withLockAtOnce { state in state.stepLimit } }
        set { state.withLockAtOnce { state in state.stepLimit = newValue } }
    }

    /// The real time after which the world reports a step that has not ended. The default is 10 seconds. nil means never.
    ///
    /// Code under test that blocks its thread stops the whole world: in `sleep`, in a loop that never ends, or at a mutex
    /// whose owner the world has stopped. The report is written to standard error, once for each such step. It contains
    /// the seed, the host, the loop or thread, and the stack of the blocked thread. The run itself continues when the
    /// code returns.
    ///
    /// The time counts in tenths of the limit. Time during which the process is stopped, for example by a debugger, does
    /// not count. To read the stack, the world sends `SIGURG` to the blocked thread, so a `sleep` ends early. Any thread
    /// may set the limit; a run that has begun may use it after a second.
    public var blockingLimit: Duration? {
        get { state.withLockAtOnce { state in state.blockingLimit } }
        set { state.withLockAtOnce { state in state.blockingLimit = newValue } }
    }

    /// Sets what happens with a report, instead of writing it to standard error.
    func onBlock(_ body: @escaping @Sendable (String) -> Void) {
        state.withLockAtOnce { state in state.onBlock = body }
    }

    func reportBlock(_ report: String) { state.withLockAtOnce { state in state.onBlock }(report) }

    /// The policy that decides where threads of a host are interrupted. The default is ``Interleaving/wholeTurns``.
    ///
    /// Set it between two calls of `run(for:)`. Every value except `wholeTurns` needs a package that was built with the
    /// trait `Simulation`. Without the trait, ``run(for:)`` then throws `noYieldPoints`.
    public var interleaving: Interleaving {
        get { strands.interleaving }
        set { strands.interleaving = newValue }
    }

    /// The number of yield points that threads have reached. Yield points inside turns count only if ``interleaving``
    /// is not `wholeTurns`.
    public var yieldPoints: Int { strands.state.withLockAtOnce { state in state.points } }

    /// A number that depends on every event so far. Runs of the same seed have the same fingerprint.
    public var fingerprint: UInt64 { kernel.fingerprint }

    func nextRandom() -> UInt64 { state.withLockAtOnce { state in state.random.next() } }

    // MARK: Failures

    /// Reports a failure of the code under test. ``run(for:)`` throws the first one. Any thread may call it.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - host: The host on which it happened, or nil.
    public func fail(_ error: any Error, on host: SimulatedHost? = nil) { fail(error, onHostNamed: host?.name) }

    private func fail(_ error: any Error, onHostNamed host: String?) {
        let time = now
        state.withLockAtOnce { state in state.failure = state.failure ?? (error, host, time, state.steps) }
    }

    /// Reports a failure if `condition` is false. Any thread may call it, including code on a simulated loop.
    ///
    /// ``run(for:)`` ends soon after that and throws the failure.
    ///
    /// - Parameters:
    ///   - condition: What must be true.
    ///   - text: What is wrong otherwise.
    ///   - file: The file of the call.
    ///   - line: The line of the call.
    public func check(
        _ condition: Bool,
        _ text: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        if !condition { fail(CheckFailure(text(), file, line)) }
    }

    /// Reports a task that leaves the world.
    func failEscape(on host: String) {
        let why = "a task runs on the global executor: start it with startTask, or Task(executorPreference: loop)"
        fail(SimulationError(.escapedTask, why), onHostNamed: host)
    }

    /// The first failure that was reported.
    var failure: SimulationFailure? {
        guard let (error, host, time, steps) = state.withLockAtOnce({ state in state.failure }) else { return nil }
        return describe(error, host, time, steps)
    }

    /// An error of the body, with what is known about the world.
    func describe(_ error: any Error) -> SimulationFailure {
        error as? SimulationFailure ?? describe(error, nil, now, steps)
    }

    private func describe(_ error: any Error, _ host: String?, _ time: Duration, _ steps: Int) -> SimulationFailure {
        let names = hosts.map(\.name)
        return SimulationFailure(
            reproduction: reproduction,
            time: time,
            steps: steps,
            host: host,
            error: error,
            diagram: SequenceDiagram(kernel.recordedEvents, of: names),
            hosts: names,
            faults: network.allFaults
        )
    }

    /// Counts a step.
    ///
    /// - Throws: `stepLimit` if the limit is reached.
    func countStep() throws(SimulationError) {
        let (steps, limit) = state.withLockAtOnce { state in
            state.steps += 1
            return (state.steps, state.stepLimit)
        }
        if steps <= limit { return }
        throw SimulationError(
            .stepLimit,
            "the world of seed \(seed) was not idle after \(limit) steps, at \(now); still active: \(activity)"
        )
    }

    /// What still happens, for messages.
    private var activity: String {
        let active = loops.activity
        return active.isEmpty ? "the network" : active.joined(separator: ", ")
    }

    /// Disposes all loops. A world that has ended does nothing any more.
    func end() {
        let hosts = state.withLockAtOnce { state in state.hosts.takeAll() }
        network.end()
        for host in hosts { host.end() }
    }
}

/// The random numbers of a world, for the test's own choices.
public struct WorldRandom: RandomNumberGenerator, Sendable {
    let world: World

    /// The next number.
    public func next() -> UInt64 { world.nextRandom() }
}
