public import ReactiveCore

/// Where a command tells its observers of its states, executions, results and rejections.
public struct CommandDelivery: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case direct
        case on(any Scheduler)
        case onNextTurn(any Scheduler)
    }

    @usableFromInline
    let kind: Kind

    /// How many values of an execution `executions` replays to those who subscribe to it a little later.
    @usableFromInline
    static var replayLimit: Int { 16 }

    @usableFromInline
    var isDirect: Bool {
        if case .direct = kind { true } else { false }
    }

    /// On the thread where it happens, one thing at a time: whoever is telling tells what happens meanwhile too (law 4).
    public static let direct = CommandDelivery(kind: .direct)

    /// On `scheduler`: at once for what happens there while nothing is waiting to be told, else in work of its own.
    ///
    /// What waits is bounded by holding the work back: of one execution at most 64 values wait.
    public static func on(_ scheduler: any Scheduler) -> CommandDelivery { CommandDelivery(kind: .on(scheduler)) }

    /// On `scheduler`, and in work of its own also for what happens there.
    public static func onNextTurn(of scheduler: any Scheduler) -> CommandDelivery {
        CommandDelivery(kind: .onNextTurn(scheduler))
    }
}
