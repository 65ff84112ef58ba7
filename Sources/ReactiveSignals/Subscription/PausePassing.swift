// SPDX-License-Identifier: MIT
/// The pauses that a subscription passes on to a dependent one.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, with its kind.
    case asItIs
    /// Every pause, as a subscriber's. For an operator that turns a failure into something else, which overtakes no
    /// value.
    case inOrder
    /// No pause, only whether operators alone pause. For a queue that is not paused with its subscriber.
    case kindOnly
}
