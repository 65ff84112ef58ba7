// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// One watch of one descriptor.
///
/// Why `@unchecked Sendable` is right: only the thread that holds the loop's state accesses the mutable fields other
/// than `over`.
final class WatchEntry: DescriptorWatch, @unchecked Sendable {
    private let core: LoopCore
    /// The closure or object that the loop calls when the descriptor is ready. The value is `nobody` after the loop has
    /// removed the watch.
    @safe @exclusivity(unchecked)
    private(set) var callee: Callee
    /// The low 32 bits of the turn in which the watch was created. The loop does not call the watch in that turn (rule
    /// S12). If the counter wraps to the same value, one call is delayed by a turn.
    private let madeInTurn: UInt32
    let descriptor: Int32
    /// The interest. Disposal does not change it.
    var wanted: Readiness
    var isCounted = true
    private let over = Atomic<Bool>(false)

    init(
        _ core: LoopCore,
        _ descriptor: Int32,
        _ interest: Readiness,
        turn: UInt64,
        _ callee: Callee
    ) {
        self.core = core
        self.descriptor = descriptor
        wanted = interest
        madeInTurn = UInt32(truncatingIfNeeded: turn)
        self.callee = callee
    }

    enum Callee {
        case none
        case closure(@Sendable (Readiness) -> Void)
        case owner(any DescriptorOwner)
    }

    /// Whether the watch was created in that turn.
    @inline(__always)
    func isNew(in turn: UInt64) -> Bool { madeInTurn == UInt32(truncatingIfNeeded: turn) }

    private var isWatching: Bool { if case .none = callee { false } else { true } }

    var isDisposed: Bool { over.load(ordering: .acquiring) }

    /// The interest. It is empty after disposal.
    var wantedNow: Readiness { isDisposed ? [] : wanted }

    var interest: Readiness { core.requireState("interest") { _ in wanted } }

    var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in isCounted } }
        set {
            core.requireState("keepsLoopAlive") { state in
                guard isWatching, newValue != isCounted else { return }
                isCounted = newValue
                state.aliveCount += newValue ? 1 : -1
                core.wakeIfInsideWait(state)
            }
        }
    }

    func setInterest(_ interest: Readiness) throws(LoopError) {
        if isDisposed { return }
        do {
            try core.withPoller("setInterest") { (state) throws(LoopError) in
                try state.setInterest(interest, of: self)
            }
        } catch {
            // If another thread has disposed the watch since the check, it may have closed the descriptor, so the error
            // is expected.
            if !isDisposed { throw error }
        }
    }

    func dispose() {
        if over.exchange(true, ordering: .acquiringAndReleasing) { return }
        core.unwatch(self)
    }

    /// Prevents further calls. On the loop's thread, no call begins after this method has returned. On another thread,
    /// the loop's next callback may still be a call of this watch, but no later one (rules T12, T27).
    func end() { over.store(true, ordering: .releasing) }

    /// Returns the callee of an entry that the loop has removed from the table. The caller must release the result,
    /// because a release inside this method could access this watch.
    func takeCallee() -> Released {
        end()
        defer { callee = .none }
        return .callee(callee, isLoopOver: core.isDisposed)
    }
}
