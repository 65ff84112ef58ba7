// SPDX-License-Identifier: MIT
/// What happened to a request of a ``LoadLimiter``. ReactiveMetrics records it.
package enum LoadEvent: Sendable, Hashable {
    case admitted
    /// The concurrency limit was reached.
    case rejected
    /// The request leaves its queue, and its work begins.
    case started(after: Duration)
    /// The request leaves its queue, and is rejected because it has waited too long.
    case expired(after: Duration)
    case ended(ConcurrencyLimit.Outcome, after: Duration)
}
