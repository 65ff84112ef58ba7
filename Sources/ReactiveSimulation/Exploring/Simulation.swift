// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSupport

/// Runs worlds: one seed, or many.
///
/// The environment variable `SWIFT_DETERMINISTIC_HASHING` must be 1 when the process starts, because the order of sets
/// and dictionaries would otherwise differ between processes.
public enum Simulation {
    /// Every how many seeds ``explore(seeds:shrinking:_:)`` runs a seed twice to compare the fingerprints.
    private static let sample = 50

    /// Runs `body` with the world of one seed, then ends the world.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - extent: Which events the diagram of a failure shows.
    ///   - body: Builds the world, runs it, and checks the outcome.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, as a ``SimulationFailure`` that contains the seed and a diagram. A
    ///   ``SimulationError`` of `body`, such as `deadlock`, is thrown unchanged. `randomHashing` if the environment is
    ///   not prepared.
    @discardableResult
    public static func run<Result>(
        seed: UInt64,
        diagram extent: SequenceDiagram.Extent = .excerpt,
        _ body: (World) throws -> Result
    ) throws -> Result {
        try run(Reproduction(seed: seed), diagram: extent, body)
    }

    /// Repeats a failure: runs `body` with the world of its seed, without what the reproduction leaves out.
    ///
    /// Otherwise it is like ``run(seed:diagram:_:)``.
    ///
    /// - Parameters:
    ///   - reproduction: The seed, and what to leave out.
    ///   - extent: Which events the diagram of a failure shows.
    ///   - body: The body that failed.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of ``run(seed:diagram:_:)``.
    @discardableResult
    public static func run<Result>(
        _ reproduction: Reproduction,
        diagram extent: SequenceDiagram.Extent = .excerpt,
        _ body: (World) throws -> Result
    ) throws -> Result {
        try requireDeterministicHashing()
        return try perform(reproduction, recording: extent, body)
    }

    /// Runs `body` once for each seed, until one fails. Then searches for the smallest world that fails in the same way.
    ///
    /// The first seed and every fiftieth after it run twice. Both runs must have the same fingerprint.
    ///
    /// The search leaves out faults and hosts, and ends the faults earlier. The failure contains the result as a
    /// ``Reproduction``, and a diagram of the events around the last fault that it needs. A failure that a test
    /// framework records, such as one of `#expect`, does not end the body. So throw an error where the outcome is wrong,
    /// or call ``World/check(_:_:file:line:)``.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, in order.
    ///   - runs: The maximum number of runs of the search. Zero or less means no search.
    ///   - body: Builds a world, runs it, and checks the outcome. It must not use a clock, a random number or a thread
    ///     of the real system.
    /// - Throws: The failure of the first seed that fails, after the search has reduced it. Without a search, its
    ///   diagram is empty. A ``SimulationError`` of `body`, such as `deadlock`, is thrown unchanged and without a
    ///   search. `notDeterministic` if two runs of a seed differ. `randomHashing` if the environment is not prepared.
    public static func explore(
        seeds: some Sequence<UInt64>,
        shrinking runs: Int = 100,
        _ body: (World) throws -> Void
    ) throws {
        try requireDeterministicHashing()
        for (number, seed) in seeds.enumerated() {
            let fingerprint: UInt64
            do {
                fingerprint = try self.fingerprint(of: seed, body)
            } catch let failure as SimulationFailure where runs > 0 {
                throw shrink(failure, runs, body)
            }
            guard number % sample == 0 else { continue }
            let again = try self.fingerprint(of: seed, body)
            if fingerprint == again { continue }
            throw SimulationError(
                .notDeterministic,
                """
                two runs of seed \(seed) differ: the code under test uses a clock, a random number, a thread or an \
                address of the real system
                """
            )
        }
    }

    /// Runs `body` on a thread of the only host of a world, until it returns or a duration of the world has passed.
    ///
    /// - Parameters:
    ///   - seed: The seed of the world.
    ///   - limit: The maximum duration.
    ///   - interleaving: Where threads are stopped. Without the trait `Simulation`, there are no stops at locks.
    ///   - body: It may start threads and loops, and block.
    /// - Returns: Why `body` has not returned. nil if it has returned.
    package static func runProgram(
        seed: UInt64,
        limit: Duration,
        interleaving: Interleaving = .wholeTurns,
        _ body: @escaping @Sendable (SimulatedHost) -> Void
    ) -> String? {
        let isDone = Lock(false)
        let world = World(Reproduction(seed: seed))
        world.stepLimit = .max
        world.interleaving = interleaving
        let host = world.host("machine", descriptorLimit: 4_096, clockSkew: 0)
        host.start()
        world.strands.add(
            .function {
                body(host); isDone.withLockAtOnce { $0 = true }
            },
            named: "program",
            on: host
        )
        do {
            try world.run(for: limit) { isDone.withLockAtOnce { $0 } }
        } catch {
            return "\(error)"
        }
        if isDone.withLockAtOnce({ $0 }) {
            world.end()
            return nil
        }
        let names = world.strands.unfinished.map(\.name).joined(separator: ", ")
        return "at \(world.now) these threads have not ended: \(names)"
    }

    private static func fingerprint(of seed: UInt64, _ body: (World) throws -> Void) throws -> UInt64 {
        try perform(Reproduction(seed: seed)) { world in
            try body(world)
            return world.fingerprint
        }
    }

    /// Runs a world. It records the events of a diagram, unless `extent` is nil.
    static func perform<Result>(
        _ reproduction: Reproduction,
        recording extent: SequenceDiagram.Extent? = nil,
        _ body: (World) throws -> Result
    ) throws -> Result {
        let world = World(reproduction)
        if let extent {
            let end = reproduction.faultsUntil.map { SimulatedNetwork.origin + $0 }
            world.kernel.record(extent, faultsEnd: end)
        }
        defer { world.end() }
        do {
            return try body(world)
        } catch let error as SimulationError {
            throw error
        } catch {
            throw world.describe(error)
        }
    }

    /// Searches the smallest world that fails like `failure`, and repeats it with a diagram.
    private static func shrink(
        _ failure: SimulationFailure,
        _ runs: Int,
        _ body: (World) throws -> Void
    ) -> SimulationFailure {
        withoutActuallyEscaping(body) { body in
            var shrinking = Shrinking(failure, runs: runs, body)
            shrinking.reduce(hosts: failure.hosts, faults: failure.faults, end: failure.time)
            do {
                try perform(shrinking.best, recording: .excerpt, body)
                return failure
            } catch {
                return error as? SimulationFailure ?? failure
            }
        }
    }

    private static func requireDeterministicHashing() throws(SimulationError) {
        // Safe: the string is compared before another call can change the environment's memory.
        if let value = unsafe getenv("SWIFT_DETERMINISTIC_HASHING"), unsafe String(cString: value) == "1" { return }
        throw SimulationError(
            .randomHashing,
            "a simulation needs the environment variable SWIFT_DETERMINISTIC_HASHING=1 when the process starts"
        )
    }
}
