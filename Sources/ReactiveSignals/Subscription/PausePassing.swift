// SPDX-License-Identifier: MIT
/// The pauses that a subscription passes on to a dependent one.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, with its kind.
    case asItIs
    /// Every pause, as if the subscriber had paused. Used by an operator that replaces a failure with something that
    /// must not overtake values.
    case inOrder
    /// Passes on no pause. It only notifies the upstream subscription whether the downstream one is in the state
    /// `byOperators`. Used by `buffer`, whose source continues during a pause.
    case kindOnly
    /// Passes on nothing. Used for an input whose events are needed during a pause.
    case nothing

    /// Whether a pause of the downstream subscription pauses the upstream one.
    var stopsValues: Bool {
        switch self {
        case .asItIs, .inOrder: true
        case .kindOnly, .nothing: false
        }
    }
}
