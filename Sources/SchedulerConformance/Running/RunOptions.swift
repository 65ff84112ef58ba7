// SPDX-License-Identifier: MIT
/// The options of a run, in addition to its rules and loops.
struct RunOptions: Sendable {
    /// The seed of random choices.
    var seed: UInt64
    /// The factor of time limits, in addition to each loop's own.
    var timeScale: Double
    /// Whether stochastic rules run all of their rounds.
    var isLong = false

    init(seed: UInt64? = nil, timeScale: Double? = nil) {
        self.seed = seed ?? Platform.freshSeed
        let said = Platform.variable("CONFORMANCE_TIME_SCALE").flatMap { Double($0) }
        self.timeScale = timeScale ?? said ?? (Platform.isSanitized ? 10 : 1)
    }
}
