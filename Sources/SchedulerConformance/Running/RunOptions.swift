/// What a run is told beside its rules and loops.
struct RunOptions: Sendable {
    /// What random choices come from.
    var seed: UInt64
    /// What limits of time are multiplied by, beside each loop's own scale.
    var timeScale: Double
    /// Whether the rules of many rounds are run, with all of their rounds.
    var isLong = false

    init(seed: UInt64? = nil, timeScale: Double? = nil) {
        self.seed = seed ?? Machine.freshSeed
        let said = Machine.variable("CONFORMANCE_TIME_SCALE").flatMap { Double($0) }
        self.timeScale = timeScale ?? said ?? (Machine.isSanitized ? 10 : 1)
    }
}
