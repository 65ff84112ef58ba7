// SPDX-License-Identifier: MIT
/// The pauses that a subscription passes on to a dependent one.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, with its kind.
    case asItIs
    /// Every pause, as if the subscriber had paused. Used by an operator that replaces a failure with something that
    /// must not overtake values.
    case inOrder
    /// No pause, only the information whether operators alone pause. Used by a queue whose source continues while the
    /// subscriber pauses.
    case kindOnly
}
