// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The thread or scheduler on which a command notifies its observers of states, executions, results and rejections.
///
/// With each kind of delivery, observers receive all notifications in the order of the events.
public struct CommandDelivery: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case direct
        case on(any Scheduler)
        case onNextTurn(any Scheduler)
    }

    @usableFromInline
    let kind: Kind

    /// The number of values of an execution that `executions` replays to a later subscriber.
    @usableFromInline
    static var replayLimit: Int { 16 }

    @usableFromInline
    var isDirect: Bool {
        if case .direct = kind { true } else { false }
    }

    /// On the thread on which the event occurs, one notification at a time. If another thread is already notifying,
    /// that thread also delivers the new notification; see law 4 (Docs/Laws.md).
    public static let direct = CommandDelivery(kind: .direct)

    /// On `scheduler`: immediately if the event occurs on that scheduler and no notification waits, otherwise in a job.
    ///
    /// When 64 values of an execution wait, its work is paused. A disposed scheduler drops the notifications.
    public static func on(_ scheduler: any Scheduler) -> CommandDelivery { CommandDelivery(kind: .on(scheduler)) }

    /// On `scheduler`, always in a job, even for events on that scheduler.
    ///
    /// When 64 values of an execution wait, its work is paused. A disposed scheduler drops the notifications.
    public static func onNextTurn(of scheduler: any Scheduler) -> CommandDelivery {
        CommandDelivery(kind: .onNextTurn(scheduler))
    }
}
