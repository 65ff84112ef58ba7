import ReactiveCore
import ReactiveSupport
import Synchronization

/// One timer: its place in the heap, when it fires, and what it does.
///
/// Why `@unchecked Sendable` is right: `deadline`, `heapIndex` and `work` belong to the loop (to whoever holds its state).
/// The one exception is taking a one-shot's work from another thread, which the exchange on `state` gives to one taker.
final class TimerEntry: LoopHandle, DeadlineHeapEntry, @unchecked Sendable {
    private static let pending: UInt8 = 0
    private static let over: UInt8 = 1

    private let core: LoopCore
    private let state = Atomic<UInt8>(TimerEntry.pending)
    private var work: (@Sendable () -> Void)?
    /// Nil for a one-shot.
    let repetition: Repetition?
    let leeway: Duration
    /// When it is due next; the loop's own.
    var deadline: LoopInstant
    /// Its place in the heap, or -1.
    var heapIndex = -1
    /// Whether the loop has counted it among what keeps it alive.
    var isCounted = false
    private var wantsLoopAlive: Bool

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) {
        self.core = core
        self.deadline = deadline
        self.repetition = repetition
        leeway = options.leeway
        wantsLoopAlive = options.keepsLoopAlive
        self.work = work
    }

    var isDisposed: Bool { state.load(ordering: .acquiring) == TimerEntry.over }

    var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in wantsLoopAlive } }
        set {
            core.requireState("keepsLoopAlive") { state in
                wantsLoopAlive = newValue
                state.recount(self)
            }
        }
    }

    /// Read by the loop when it counts.
    var keepsAliveNow: Bool { wantsLoopAlive || fault(.everythingKeepsAlive) }

    func dispose() {
        if fault(.cancelIgnored) { return }
        if fault(.cancelHops), !core.isRunningHere { return core.execute { self.disposeNow() } }
        disposeNow()
    }

    private func disposeNow() {
        guard state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing) == TimerEntry.pending else {
            return precondition(!fault(.lateCancelTraps), "cancelled late")
        }
        leak(.cancelledClosureLeaks, work as Any)
        // A one-shot's work is this caller's now, so it is let go of here; a repeating one's may be running.
        if repetition == nil { work = nil }
        core.disarm(self)
    }

    /// The work to run now, or nil where it has been disposed. A one-shot is over with this.
    func takeWork() -> (@Sendable () -> Void)? {
        if repetition != nil { return isDisposed && !fault(.repeatGoesOn) ? nil : work }
        guard state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing) == TimerEntry.pending else {
            return nil
        }
        defer { work = nil }
        return work
    }

    /// Called by the loop when it has taken a disposed timer out, or is itself over.
    func letGo() {
        let wasPending = state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing) == TimerEntry.pending
        if fault(.repeatGoesOn), repetition != nil { return }
        if repetition != nil || wasPending { work = nil }
    }
}
