// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// Queries about schedulers in general.
public enum Schedulers {
    /// The scheduler whose work is running on this thread. It is `nil` outside a scheduler's work, for example on a
    /// main thread that runs no loop (rules C1–C3).
    public static var current: (any Scheduler)? { CurrentScheduler.value }
}
