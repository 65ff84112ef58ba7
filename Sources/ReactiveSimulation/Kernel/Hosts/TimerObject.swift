// SPDX-License-Identifier: MIT
import ReactiveCore

/// A timer descriptor (timerfd_create(2)). Only the holder of the network's lock uses it.
final class TimerObject: KernelObject {
    /// The pending expiration.
    var event: Timeline.Identifier?
    var hasExpired = false

    override var readiness: Readiness { hasExpired ? .read : [] }
    override var summary: String { "timer" }
}
