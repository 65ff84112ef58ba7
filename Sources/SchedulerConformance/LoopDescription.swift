// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A description of a loop for the kit. The kit may call its closures on any thread.
///
/// ```swift
/// let mine = LoopDescription("mine", main: { EpollLoop.main }) { name, isOwned in
///     try EpollLoop(name: name, thread: isOwned ? .owned : .caller)
/// }
/// ```
public struct LoopDescription: Sendable {
    /// The loop's name in the results. It is unique in the program.
    public let name: String
    /// The capabilities that the loop lacks, each with a reason. The results show the reason for every rule that is
    /// skipped.
    public var absent: [Capability: String] = [:]
    /// Rules that the loop breaks, by id, each with a reason. The check of such a rule fails if the rule holds.
    public var deviations: [String: String] = [:]
    /// Multiplies time limits and upper bounds. Use a value above 1 for a slow loop or machine. Lower bounds are not
    /// multiplied.
    public var timeScale: Double = 1
    /// Keeps the thread busy for a duration of the loop's clock. If it is `nil`, the kit polls the clock. A loop in
    /// virtual time advances its clock instead.
    public var spend: (@Sendable (Duration, any LoopScheduler) -> Void)?
    /// Returns the number of objects that an idle loop contains, by kind (timers, watches, …). Checks use it to find
    /// leaks before the loop is disposed. If it is `nil`, checks find leaks only after the disposal.
    public var holdings: (@Sendable (any LoopScheduler) -> [String: Int])?
    /// Returns the scheduler that is current inside the loop's work. Set it if `make` returns another object, for
    /// example a wrapper that runs the guest's host.
    public var scheduler: (@Sendable (any LoopScheduler) -> any Scheduler)?
    /// Whether code that serves the main queue also serves the main loop between its own runs (rule M9).
    public var isMainLoopServedByMainQueue = false
    /// Schedules a timer of `RunLoop.main`. Set it for a main loop that also serves `RunLoop.main` (rule M7).
    public var setRunLoopTimer: (@Sendable (Duration, @escaping @Sendable () -> Void) -> Void)?

    /// Runs a check on a simulated machine until the check has ended or a duration has passed. The result says why the
    /// check has not ended. `nil` for a loop of this machine.
    package var machine: SimulatedMachine?

    /// - Parameters:
    ///   - seed: The seed of the machine's random choices.
    ///   - limit: The maximum duration of the check, in the machine's time.
    ///   - check: Runs the check.
    package typealias SimulatedMachine =
        @Sendable (_ seed: UInt64, _ limit: Duration, _ check: @escaping @Sendable () -> Void) -> String?

    package let make: @Sendable (_ name: String, _ isOwned: Bool) throws -> any LoopScheduler
    package let main: (@Sendable () -> any LoopScheduler)?

    /// Describes a loop.
    ///
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - main: Returns the main thread's loop. If `nil`, the rules of the main thread are skipped.
    ///   - make: Creates a loop with a name. It owns its thread if `isOwned`; otherwise its caller runs it.
    public init(
        _ name: String,
        main: (@Sendable () -> any LoopScheduler)? = nil,
        make: @escaping @Sendable (_ name: String, _ isOwned: Bool) throws -> any LoopScheduler
    ) {
        self.name = name
        self.main = main
        self.make = make
    }

    /// All capabilities that the loop lacks: those that it declares, and those that follow from this description and
    /// this machine.
    var allAbsent: [Capability: String] {
        var all = Platform.absent
        if main == nil { all[.mainThread] = "the description has no main loop" }
        if !isMainLoopServedByMainQueue {
            all[.mainQueueGuest] = "the main queue does not serve this main loop between its runs"
        }
        if setRunLoopTimer == nil {
            all[.runLoop] = "this main loop does not serve RunLoop.main, which is a separate loop"
        }
        all.merge(absent) { _, said in said }
        return all
    }

    /// The reason to skip a rule on this loop, or `nil` if the rule is checked.
    package func reasonToSkip(_ rule: Rule) -> String? {
        let missing = rule.needs.filter { need in allAbsent[need] != nil }
        guard let first = missing.min(by: { one, two in one.description < two.description }) else { return nil }
        return allAbsent[first].map { reason in "needs \(first): \(reason)" }
    }
}
