import ReactiveCore
import ReactiveSupport
import Synchronization

/// One watch of one descriptor.
///
/// Why `@unchecked Sendable` is right: all of it but `over` belongs to the loop, that is to whoever holds its state.
final class WatchEntry: DescriptorWatch, @unchecked Sendable {
    private let core: LoopCore
    @exclusivity(unchecked)
    private var callee: Callee
    /// The turn in which it was made: it is not called in that one (rule S12).
    let madeInTurn: UInt64
    let descriptor: Int32
    /// What it watches for.
    var wanted: Readiness
    var isCounted = true
    private let over = Atomic<Bool>(false)

    init(
        _ core: LoopCore,
        _ descriptor: Int32,
        _ interest: Readiness,
        turn: UInt64,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) {
        self.core = core
        self.descriptor = descriptor
        wanted = interest
        madeInTurn = turn
        callee = Callee(ready: ready)
    }

    /// A struct, since a closure by itself is wrapped in another one for whoever takes values of any type.
    private struct Callee {
        var ready: (@Sendable (Readiness) -> Void)?
    }

    /// Called when the descriptor is ready; nil once disposed.
    @inline(__always)
    var ready: (@Sendable (Readiness) -> Void)? { callee.ready }

    /// Where what the closure holds is, as a hint and nothing else: the second of the two words that a closure is. Read where it lies:
    /// a copy of the closure would hold that.
    @inline(__always)
    var target: UnsafeRawPointer? {
        withUnsafeBytes(of: &callee) { words in
            words.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeRawPointer?.self)
        }
    }

    var isDisposed: Bool { over.load(ordering: .acquiring) }

    var interest: Readiness { core.requireState("interest") { _ in wanted } }

    var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in isCounted } }
        set {
            core.requireState("keepsLoopAlive") { state in
                guard ready != nil, newValue != isCounted, !fault(.everythingKeepsAlive) else { return }
                isCounted = newValue
                state.aliveCount += newValue ? 1 : -1
            }
        }
    }

    func setInterest(_ interest: Readiness) throws(LoopError) {
        if isDisposed { return }
        try core.withPoller("setInterest") { (state) throws(LoopError) in
            try state.setInterest(interest, of: self)
        }
    }

    func dispose() {
        if over.exchange(true, ordering: .acquiringAndReleasing) { return }
        core.unwatch(self)
    }

    /// Called by the loop when the entry has left the table.
    func letGo() {
        over.store(true, ordering: .releasing)
        // What the closure holds may ask this watch something while it goes: by then it is not in it any more.
        let last = callee
        callee.ready = nil
        _ = consume last
    }
}
