// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

/// The other loop that runs this loop's turns: the host of a guest, or the main queue between the main loop's own runs.
struct Hosting: ~Copyable {
    /// Whether a post must call the host. Only the main queue is called.
    enum Calls: UInt8 {
        /// No host takes over between runs.
        case none
        /// The loop is in its own run, and the host runs no turns.
        case suspended
        /// The host does not watch the loop's descriptor yet, so a post calls it.
        case needed
        /// The host watches the loop's descriptor, and never stops doing so.
        case watched
    }

    /// Which thread counts as the guest's before its first turn, if the host's `isHere` is nil.
    enum FirstHome { case maker, nowhere }

    private let attached = Lock<(any LoopHost)?>(nil)
    private let state = Atomic<Calls>(.none)
    /// The thread of the last turn; 0 before the first turn.
    private let turnThread = Atomic<UInt>(0)
    private let maker = ThreadIdentity.current

    var host: (any LoopHost)? { attached.withLock { host in host } }

    /// The host that takes over between runs.
    var yielding: (any YieldingHost)? { host as? any YieldingHost }

    var calls: Calls { state.load(ordering: .sequentiallyConsistent) }

    /// Whether the main queue takes over between the loop's own runs.
    var takesOverBetweenRuns: Bool { state.load(ordering: .relaxed) != .none }

    // MARK: Transitions

    func attach(_ host: any LoopHost, calls: Calls) {
        attached.withLock { current in current = host }
        state.store(calls, ordering: .sequentiallyConsistent)
    }

    func takeHost() -> (any LoopHost)? { attached.withLock { host in host.take() } }

    /// The loop's own run begins.
    func suspend() { change(from: .needed, to: .suspended) }

    /// The loop's own run has ended.
    func resume() { change(from: .suspended, to: .needed) }

    /// The host watches the descriptor from now on. It never stops, so a late call cannot be wrong.
    func hostWatches() { state.store(.watched, ordering: .sequentiallyConsistent) }

    /// A turn begins on this thread.
    func beginTurn() { turnThread.store(ThreadIdentity.current, ordering: .relaxed) }

    private func change(from old: Calls, to new: Calls) {
        _ = state.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
    }

    /// Whether the host calls the guest on this thread. If the host's `isHere` is nil, that is the thread of the last
    /// turn.
    func isHere(beforeFirstTurn home: FirstHome) -> Bool {
        if let isHere = host?.isHere { return isHere }
        let last = turnThread.load(ordering: .relaxed)
        if last != 0 { return last == ThreadIdentity.current }
        return switch home {
        case .maker: maker == ThreadIdentity.current
        case .nowhere: false
        }
    }
}

// Avoids a lookup of generic types, for the reason that `EndRequest` gives.
extension Hosting.Calls: AtomicRepresentable {
    typealias AtomicRepresentation = UInt8.AtomicRepresentation

    static func encodeAtomicRepresentation(_ value: consuming Hosting.Calls) -> AtomicRepresentation {
        UInt8.encodeAtomicRepresentation(value.rawValue)
    }

    static func decodeAtomicRepresentation(_ storage: consuming AtomicRepresentation) -> Hosting.Calls {
        switch UInt8.decodeAtomicRepresentation(storage) {
        case Hosting.Calls.suspended.rawValue: .suspended
        case Hosting.Calls.needed.rawValue: .needed
        case Hosting.Calls.watched.rawValue: .watched
        default: .none
        }
    }
}
