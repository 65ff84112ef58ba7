// SPDX-License-Identifier: MIT
/// The party that pauses a subscription. The kind decides whether a failure overtakes the values that the pause delays
/// (law 9).
@usableFromInline
package enum PauseKind: Sendable {
    /// A consumer. A failure waits behind the values that the source buffers.
    case bySubscriber
    /// An operator that delays values itself. A failure overtakes the values that the source buffers.
    case byOperator
    /// An operator whose queue keeps values and failure in order. A failure stays behind the queued values, unless an
    /// operator further downstream pauses this operator.
    case byQueue
}
