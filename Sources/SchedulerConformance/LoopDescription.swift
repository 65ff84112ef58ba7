public import ReactiveCore

/// What the author of a loop tells the kit about it.
///
/// ```swift
/// let mine = LoopDescription("mine", main: { MyLoop.main }) { name, isOwned in
///     try MyLoop(name: name, thread: isOwned ? .owned : .caller)
/// }
/// ```
public struct LoopDescription: Sendable {
    /// What the table calls it; no two loops of a program have the same name.
    public let name: String
    /// What it lacks, each with the reason, which stands in the table beside every rule that is skipped for it.
    public var absent: [Capability: String] = [:]
    /// Rules that it does not keep, by id, each with the reason. One that is kept after all is a failure.
    public var deviations: [String: String] = [:]
    /// What every limit of time is multiplied by; above 1 for a loop or a machine that is slow. Lower bounds are never scaled.
    public var timeScale: Double = 1
    /// Keeps the thread busy for a while by the loop's clock. Nil: the kit looks at the clock until it is over; a loop in
    /// virtual time moves its clock on instead.
    public var spend: (@Sendable (Duration, any LoopScheduler) -> Void)?
    /// What a loop holds that nobody runs, in numbers by name (timers, watches, …). With it a check sees what is left while the
    /// loop lives, not only when it goes.
    public var holdings: (@Sendable (any LoopScheduler) -> [String: Int])?
    /// What the current scheduler is in the loop's work, where that is another object than `make` gives: a guest, of a host that a
    /// test drives.
    public var scheduler: (@Sendable (any LoopScheduler) -> any Scheduler)?
    /// Whether whoever serves the main queue serves the main loop too, while that does not run itself (rule M9).
    public var isMainLoopServedByMainQueue = false
    /// Sets a timer of `RunLoop.main`, for a loop that serves that too.
    public var setRunLoopTimer: (@Sendable (Duration, @escaping @Sendable () -> Void) -> Void)?

    package let make: @Sendable (_ name: String, _ isOwned: Bool) throws -> any LoopScheduler
    package let main: (@Sendable () -> any LoopScheduler)?

    /// Describes a loop.
    ///
    /// - Parameters:
    ///   - name: what the table calls it.
    ///   - main: the main thread's loop of the kind; without one the rules of the main thread are skipped.
    ///   - make: makes a loop with a name, which owns its thread where `isOwned`, and else is run by its caller.
    public init(
        _ name: String,
        main: (@Sendable () -> any LoopScheduler)? = nil,
        make: @escaping @Sendable (_ name: String, _ isOwned: Bool) throws -> any LoopScheduler
    ) {
        self.name = name
        self.main = main
        self.make = make
    }

    /// Everything that is absent: what the author says, and what follows from this description and this machine.
    var allAbsent: [Capability: String] {
        var all = Machine.absent
        if main == nil { all[.mainThread] = "the description names no main loop" }
        if !isMainLoopServedByMainQueue {
            all[.mainQueueGuest] = "only its own run serves this main loop, as the description has it"
        }
        if setRunLoopTimer == nil {
            all[.runLoop] = "RunLoop.main is a loop of its own; only a guest of the main queue runs beside it"
        }
        all.merge(absent) { _, said in said }
        return all
    }

    /// Why a rule is not checked on this loop; nil where it is.
    package func reasonToSkip(_ rule: Rule) -> String? {
        let missing = rule.needs.filter { need in allAbsent[need] != nil }
        guard let first = missing.min(by: { one, two in one.description < two.description }) else { return nil }
        return allAbsent[first].map { reason in "needs \(first): \(reason)" }
    }
}
