import ReactiveCore
import ReactiveSupport
import Synchronization

/// One watch of one descriptor.
///
/// Why `@unchecked Sendable` is right: all of it but `over` belongs to the loop, that is to whoever holds its state.
final class WatchEntry: DescriptorWatch, @unchecked Sendable {
    private let core: LoopCore
    /// Who is called when the descriptor is ready; nobody once disposed.
    @safe @exclusivity(unchecked)
    private(set) var callee: Callee
    /// The turn in which it was made, as far as it fits: it is not called in that one (rule S12), nor, by ill luck, in one four
    /// billion turns later, in which case it is called in the turn after that.
    private let madeInTurn: UInt32
    let descriptor: Int32
    /// The owner's address, a hint for prefetching only; 0 if there is none. Reading `callee` instead would retain the owner, which
    /// waits for the memory that the prefetch requests.
    let ownerAddress: UInt
    /// What it watches for, until it is disposed.
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
        ownerAddress = if case .owner(let owner) = callee { UInt(bitPattern: ObjectIdentifier(owner)) } else { 0 }
    }

    enum Callee {
        case nobody
        case closure(@Sendable (Readiness) -> Void)
        case owner(any DescriptorOwner)
    }

    /// Whether it was made in that turn.
    @inline(__always)
    func isNew(in turn: UInt64) -> Bool { madeInTurn == UInt32(truncatingIfNeeded: turn) }

    private var isWatching: Bool { if case .nobody = callee { false } else { true } }

    var isDisposed: Bool { over.load(ordering: .acquiring) }

    /// What it watches for now.
    var wantedNow: Readiness { isDisposed ? [] : wanted }

    var interest: Readiness { core.requireState("interest") { _ in wanted } }

    var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in isCounted } }
        set {
            core.requireState("keepsLoopAlive") { state in
                guard isWatching, newValue != isCounted else { return }
                isCounted = newValue
                state.aliveCount += newValue ? 1 : -1
                core.didChangeWait(state)
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
            // Another thread has disposed it since, and may have closed its descriptor.
            if !isDisposed { throw error }
        }
    }

    func dispose() {
        if over.exchange(true, ordering: .acquiringAndReleasing) { return }
        core.unwatch(self)
    }

    /// Ends calls: none begins after this has returned on the loop, nor, from another thread, behind a callback of the loop's.
    func end() { over.store(true, ordering: .releasing) }

    /// Called by the loop when the entry has left the table. The caller releases the result, which may ask this watch something.
    func takeCallee() -> Released {
        end()
        defer { callee = .nobody }
        return .callee(callee, isLoopOver: core.isDisposed)
    }
}
