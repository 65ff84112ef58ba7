// SPDX-License-Identifier: MIT
/// Whether a subscription is paused, and whether a failure may overtake its values.
enum PauseState: Sendable {
    case open
    /// Paused by operators only: values wait, a failure does not.
    case byOperators
    /// Paused by a subscriber: values wait, and a failure waits behind them.
    case bySubscriber

    var isPaused: Bool { self != .open }
}
