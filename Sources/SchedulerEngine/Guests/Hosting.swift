// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

/// The relation of a loop to its host, which is another loop that runs this loop's turns. Two kinds of loops have a
/// host: a guest, until it is disposed; and the main loop, which the main queue runs while the program does not call
/// the loop's `run`.
struct Hosting: ~Copyable {
    /// How a thread that posts work makes the host run a turn. Used only if the host is the main queue.
    enum Calls: UInt8 {
        /// No host runs the loop between its own runs.
        case none
        /// The loop is in its own run, and the host runs no turns.
        case suspended
        /// The host does not watch the loop's descriptor yet, so a thread that posts must call the host.
        case needed
        /// The host watches the loop's descriptor until the loop is disposed.
        case watched
    }

    private let attached = Lock<(any LoopHost)?>(nil)
    private let state = Atomic<Calls>(.none)
    /// The thread of the last turn. It is 0 before the first turn.
    private let turnThread = Atomic<UInt>(0)
    private let maker = ThreadIdentity.current

    var host: (any LoopHost)? { attached.withLock { host in host } }

    /// The host that runs the loop between the loop's own runs, or `nil`.
    var yielding: (any YieldingHost)? { host as? any YieldingHost }

    var calls: Calls { state.load(ordering: .sequentiallyConsistent) }

    /// Whether the main queue runs the loop between the loop's own runs.
    var takesOverBetweenRuns: Bool { state.load(ordering: .relaxed) != .none }

    // MARK: Transitions

    func attach(_ host: any LoopHost, calls: Calls) {
        attached.withLock { current in current = host }
        state.store(calls, ordering: .sequentiallyConsistent)
    }

    func takeHost() -> (any LoopHost)? { attached.withLock { host in host.take() } }

    /// Records that the loop's own run begins.
    func suspend() { change(from: .needed, to: .suspended) }

    /// Records that the loop's own run has ended.
    func resume() { change(from: .suspended, to: .needed) }

    /// Records that the host watches the descriptor. The host never stops watching, so a late call is harmless.
    func hostWatches() { state.store(.watched, ordering: .sequentiallyConsistent) }

    /// Records that a turn begins on this thread.
    func beginTurn() { turnThread.store(ThreadIdentity.current, ordering: .relaxed) }

    private func change(from old: Calls, to new: Calls) {
        _ = state.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
    }

    /// Whether the caller is on the thread or queue where the host calls the guest. If the host's `isHere` is nil, the
    /// thread of the last turn counts. `nil` if there has been no turn.
    var isHere: Bool? {
        if let isHere = host?.isHere { return isHere }
        let last = turnThread.load(ordering: .relaxed)
        return last == 0 ? nil : last == ThreadIdentity.current
    }

    /// Whether the caller is on the thread that created the loop.
    var isMakerHere: Bool { maker == ThreadIdentity.current }
}

// Avoids the run-time lookup of generic types that `EndRequest` describes.
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
