// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// Queries about schedulers in general.
public enum Schedulers {
    /// The scheduler whose work is running on this thread. Nil elsewhere, also on a bare main thread (rules C1–C3).
    public static var current: (any Scheduler)? { CurrentScheduler.value }
}
