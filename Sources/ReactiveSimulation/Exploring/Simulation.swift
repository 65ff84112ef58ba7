// SPDX-License-Identifier: MIT
import Glibc

/// Runs worlds: one seed, or many.
///
/// The environment variable `SWIFT_DETERMINISTIC_HASHING` must be 1 when the process starts, because the order of sets
/// and dictionaries would otherwise differ between processes.
public enum Simulation {
    /// Every how many seeds ``explore(seeds:_:)`` runs a seed twice to compare the fingerprints.
    private static let sample = 50

    /// Runs `body` with the world of one seed, then ends the world.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - body: Builds the world, runs it, and checks the outcome.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, as a ``SimulationFailure`` that contains the seed. `randomHashing` if the
    ///   environment is not prepared.
    @discardableResult
    public static func run<Result>(seed: UInt64, _ body: (World) throws -> Result) throws -> Result {
        try requireDeterministicHashing()
        let world = World(seed: seed)
        defer { world.end() }
        do {
            return try body(world)
        } catch let failure as SimulationFailure {
            throw failure
        } catch let error as SimulationError {
            throw error
        } catch {
            throw SimulationFailure(seed: seed, time: world.now, steps: world.steps, host: nil, error: error)
        }
    }

    /// Runs `body` once for each seed, until one fails.
    ///
    /// The first seed and every fiftieth one run twice, and must have the same fingerprint.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, in order.
    ///   - body: Builds a world, runs it, and checks the outcome. It must not use a clock, a random number or a thread
    ///     of the real system.
    /// - Throws: The first failure. `notDeterministic` if two runs of a seed differ. `randomHashing` if the environment
    ///   is not prepared.
    public static func explore(seeds: some Sequence<UInt64>, _ body: (World) throws -> Void) throws {
        for (number, seed) in seeds.enumerated() {
            let fingerprint = try fingerprint(of: seed, body)
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

    private static func fingerprint(of seed: UInt64, _ body: (World) throws -> Void) throws -> UInt64 {
        try run(seed: seed) { world in
            try body(world)
            return world.fingerprint
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
