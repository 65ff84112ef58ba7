// SPDX-License-Identifier: MIT

/// An error that the simulation detects, such as a step limit, a deadlock or a task that leaves the world.
public struct SimulationError: Error, Sendable, CustomStringConvertible {
    /// The kind of a ``SimulationError``. Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, as printed.
        public let description: String

        private init(_ name: String) { description = name }

        /// The world reached its step limit.
        public static let stepLimit = Code("step limit")
        /// Two runs of one seed had different traces.
        public static let notDeterministic = Code("not deterministic")
        /// The environment variable `SWIFT_DETERMINISTIC_HASHING` is not set to 1.
        public static let randomHashing = Code("random hashing")
        /// A host's code called `run(for:)`.
        public static let reentrant = Code("reentrant")
        /// A task of the simulation runs on a thread that the world does not control.
        public static let escapedTask = Code("escaped task")
        /// The threads of a host wait for each other.
        public static let deadlock = Code("deadlock")
        /// The host's process has ended.
        public static let processEnded = Code("process ended")
        /// The package was built without the trait `Simulation`, so that threads cannot be interleaved.
        public static let noYieldPoints = Code("no yield points")
    }

    /// The kind of error.
    public let code: Code
    /// One sentence: what failed, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
