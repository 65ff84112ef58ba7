// SPDX-License-Identifier: MIT
/// The number of pauses in force, for each kind except `bySubscriber`.
struct PauseCounts {
    private var operators: Int32 = 0
    private var queues: Int32 = 0
    /// The number of `kindOnly` links whose downstream subscription is in the state `byOperators`. Such a link passes
    /// on no pause, so the total does not include it.
    private var pausedByOperatorsDownstream: Int32 = 0

    /// Returns the state, given the number of pauses of all kinds.
    func state(of total: Int) -> PauseState {
        if total == 0 { return .open }
        if total > Int(operators) + Int(queues) { return .bySubscriber }
        return operators > 0 || pausedByOperatorsDownstream > 0 ? .byOperators : .bySubscriber
    }

    mutating func apply(_ change: PauseChange) {
        operators += Int32(change.operators)
        queues += Int32(change.queues)
        pausedByOperatorsDownstream += Int32(change.pausedByOperatorsDownstream)
    }
}
