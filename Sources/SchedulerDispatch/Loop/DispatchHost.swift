// SPDX-License-Identifier: MIT
import CReactive
package import Dispatch
import Glibc
package import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// Runs a loop as a guest of a queue: the queue runs the loop's turns. One dispatch source watches the loop's epoll
/// set.
///
/// The main thread's loop has a host on the main queue. That host runs no turns during the loop's own `run`. It creates
/// its source only when the loop must wait, because the first source makes libdispatch start a thread. In a process
/// with several threads the kernel looks up descriptors more slowly.
///
/// A lock protects all mutable state. libdispatch never runs a source's handler twice at the same time, even on a
/// concurrent queue.
package final class DispatchHost: YieldingHost {
    private enum Phase { case new, dormant, watching, over }

    // A struct contains the closure, because Swift would wrap a bare closure again at each access through the lock.
    private struct State {
        var phase = Phase.new
        /// Whether the loop is in its own run.
        var isInOwnRun = false
        /// Whether the queue contains a block that will start the source, or run a turn if the kernel refuses it.
        var isCalled = false
        /// Whether such a block runs a turn. Work of the turn may serve the queue.
        var isInTurn = false
        /// The loop's own descriptor.
        var descriptor: Int32 = -1
        /// An epoll set that contains the loop's descriptor. libdispatch watches this set, not the descriptor itself:
        /// it processes a cancellation after the loop has closed the descriptor, when the number may be reused. The
        /// cancel handler closes this set. During the loop's own run, the gate does not report the loop's
        /// descriptor. Suspending the source instead would report old readiness later.
        var gate: Int32 = -1
        var source: (any DispatchSourceRead)?
        /// Reserved descriptors for the source, because libdispatch ends the process if it cannot open or register them. It
        /// needs several for the first source of a process. They are reserved in `attach`, where the caller can still
        /// receive an error.
        var reserve: DescriptorReserve?
        var turn: (@Sendable () -> Void)?
    }

    private let queue: DispatchQueue
    private let makesSourceLate: Bool
    private let here = DispatchSpecificKey<Bool>()
    private let state = Lock(State())
    /// A group that is empty once libdispatch has released the gate. Then no descriptor of the guest is open.
    package let released = DispatchGroup()

    /// Creates a host on a queue.
    ///
    /// - Parameter makesSourceLate: Whether to create the source only when the loop must wait. The main queue uses it,
    ///   because a program may never serve that queue.
    package init(_ queue: DispatchQueue, makesSourceLate: Bool = false) {
        self.queue = queue
        self.makesSourceLate = makesSourceLate
        queue.setSpecific(key: here, value: true)
    }

    deinit { queue.setSpecific(key: here, value: nil) }

    package var isHere: Bool? { DispatchQueue.getSpecific(key: here) == true }

    package func attach(_ original: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        let reserve = try DescriptorReserve("the source of a queue's guest")
        let gate = reactive_epoll_create()
        if gate < 0 { throw LoopError.system("epoll_create1 for the source of a queue's guest", errno) }
        var code = reactive_epoll_control(gate, EpollOperation.add.rawValue, original, 0, 0)
        if code == 0, !makesSourceLate { code = reserve.register(gate) }
        if code != 0 {
            close(gate)
            throw LoopError.system("epoll_ctl for the source of a queue's guest", code)
        }
        released.enter()
        state.withLock { state in
            state.phase = .dormant
            state.descriptor = original
            state.gate = gate
            state.reserve = reserve
            state.turn = turn
            if !makesSourceLate { watch(&state) }
        }
    }

    package func detach() {
        // `last` retains the turn's closure until the lock is released.
        let last = state.withLock { state in
            if state.gate >= 0 {
                _ = reactive_epoll_control(state.gate, EpollOperation.remove.rawValue, state.descriptor, 0, 0)
            }
            defer { state = State(phase: .over) }
            return state
        }
        switch last.phase {
        case .watching: last.source?.cancel()
        case .dormant:
            close(last.gate)
            released.leave()
        case .new, .over: break
        }
    }

    private func watch(_ state: inout State) {
        let (gate, released) = (state.gate, released)
        state.reserve?.release()
        state.reserve = nil
        let source = DispatchSource.makeReadSource(fileDescriptor: gate, queue: queue)
        source.setEventHandler { [weak self] in self?.ready() }
        source.setCancelHandler {
            close(gate)
            released.leave()
        }
        state.source = source
        state.phase = .watching
        setOpen(state, true)
        source.activate()
    }

    /// Sets whether the gate reports the loop's descriptor. The descriptor stays in the set, so a change needs no
    /// kernel memory.
    private func setOpen(_ state: State, _ isOpen: Bool) {
        let interest: Readiness = isOpen ? .read : []
        let change = EpollOperation.change.rawValue
        let code = reactive_epoll_control(state.gate, change, state.descriptor, interest.epoll, 0)
        if code != 0 { fatalError("epoll_ctl for the source of a queue's guest failed with error number \(code)") }
    }

    private func ready() {
        // The event may have been queued when the loop's own run began, or when the loop was disposed.
        let now = state.withLock { state in state }
        if now.phase == .watching, !now.isInOwnRun { now.turn?() }
    }

    package func begin() -> Bool {
        state.withLock { state in
            if state.phase != .dormant || state.isInOwnRun { return true }
            if let reserve = state.reserve, reserve.register(state.gate) != 0 { return false }
            watch(&state)
            return true
        }
    }

    /// Enqueues a block that starts the source or runs a turn, unless the loop is in its own run. If the loop's own run
    /// executes the block, the block does nothing.
    package func call() -> YieldingHostAnswer {
        state.withLock { state in
            switch state.phase {
            case .watching, .over: return .watches
            case .new: return .standsBack
            case .dormant: if state.isInOwnRun { return .standsBack }
            }
            if !state.isCalled {
                state.isCalled = true
                queue.async { [weak self] in self?.wasCalled() }
            }
            return .isCalled
        }
    }

    private func wasCalled() {
        state.withLock { state in state.isCalled = false }
        if begin() { return }
        // The kernel refuses to watch the loop. So this block runs a turn, after which the next post calls again.
        let turn = state.withLock { state in
            defer { state.isInTurn = true }
            return state.isInTurn ? nil : state.turn
        }
        guard let turn else { return }
        turn()
        let isReadable = state.withLock { state in
            state.isInTurn = false
            var request = pollfd(fd: state.descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe state.phase == .dormant && poll(&request, 1, 0) == 1
        }
        if isReadable { _ = call() }
    }

    package func runWillBegin() {
        state.withLock { state in
            if state.isInOwnRun { return }
            state.isInOwnRun = true
            if state.phase == .watching { setOpen(state, false) }
        }
    }

    package func runDidEnd() {
        state.withLock { state in
            guard state.isInOwnRun else { return }
            state.isInOwnRun = false
            if state.phase == .watching { setOpen(state, true) }
        }
    }
}
