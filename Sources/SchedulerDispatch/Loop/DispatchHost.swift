import CReactive
package import Dispatch
import Glibc
package import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// Runs a loop as a guest of a queue: one source over the loop's epoll set. The main queue's is the main thread's loop's too; then
/// it stands back while that one's own `run` goes on, and makes its source when it is first needed, since with the first source
/// libdispatch starts a thread, and of a process with two threads the kernel counts the users of each descriptor that it looks up.
///
/// Why `@unchecked Sendable` is right: queue and source are thread-safe objects of libdispatch's, and everything that changes is
/// locked. A source's handler is never run by two threads at once, also where its queue is concurrent.
package final class DispatchHost: YieldingHost, @unchecked Sendable {
    private enum Phase { case new, dormant, watching, over }

    // A struct around the closure: by itself, each access through the lock would wrap it once more, and put that back.
    private struct State {
        var phase = Phase.new
        /// Our own run goes on.
        var isBack = false
        /// A block that looks who serves the queue is in it.
        var isCalled = false
        /// The loop's own.
        var descriptor: Int32 = -1
        /// An epoll set around it, closed when libdispatch has let go of it: it must not meet a number that is closed, or somebody
        /// else's, and it learns of a cancellation later than the loop closes its own. It tells of the loop's while we are not back:
        /// what a suspended source had heard of, that would tell later.
        var gate: Int32 = -1
        var source: (any DispatchSourceRead)?
        /// What libdispatch opens for the first source of a process, which it ends where it cannot. Held from the making of a host
        /// that makes its source late, when nobody is there to be told that there is none.
        var reserve: DescriptorReserve?
        var turn: (@Sendable () -> Void)?
    }

    private let queue: DispatchQueue
    private let isLate: Bool
    private let here = DispatchSpecificKey<Bool>()
    private let state = Lock(State())
    /// Left when libdispatch has let go of the guest's descriptor.
    package let released = DispatchGroup()

    /// - Parameter isLate: whether to watch only from when something is waited for: the queue is the main one, and may never be served.
    package init(_ queue: DispatchQueue, isLate: Bool = false) {
        self.queue = queue
        self.isLate = isLate
        queue.setSpecific(key: here, value: true)
    }

    deinit { queue.setSpecific(key: here, value: nil) }

    package var isHere: Bool? { DispatchQueue.getSpecific(key: here) == true }

    package func attach(_ original: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        // Held for a source that is made late.
        let reserve = isLate ? try DescriptorReserve("the source of a queue's guest") : nil
        let gate = reactive_epoll_create()
        if gate < 0 { throw LoopError.system("epoll_create1 for the source of a queue's guest", errno) }
        let code = reactive_epoll_control(gate, 1, original, 0, 0)
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
            if !isLate { watch(&state) }
        }
    }

    package func detach() {
        // What the turn holds goes behind the lock.
        let last = state.withLock { state in
            if state.gate >= 0 { _ = reactive_epoll_control(state.gate, 2, state.descriptor, 0, 0) }
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

    /// Whether the gate tells of the loop's descriptor, which is in it all the time: a change takes the kernel no memory.
    private func setOpen(_ state: State, _ isOpen: Bool) {
        let code = reactive_epoll_control(state.gate, 3, state.descriptor, isOpen ? 1 : 0, 0)
        precondition(code == 0, "epoll_ctl for the source of a queue's guest: \(code)")
    }

    private func ready() {
        // One that was on its way when the loop's own run began, or when it was disposed.
        let now = state.withLock { state in state }
        if now.phase == .watching, !now.isBack { now.turn?() }
    }

    package func begin() {
        state.withLock { state in
            if state.phase == .dormant, !state.isBack { watch(&state) }
        }
    }

    /// Nobody but a block of the queue's can find out whether anybody else than the loop's own run serves it.
    package func call() -> YieldingHostAnswer {
        state.withLock { state in
            switch state.phase {
            case .watching, .over: return .watches
            case .new: return .standsBack
            case .dormant: if state.isBack { return .standsBack }
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
        begin()
    }

    package func runWillBegin() {
        state.withLock { state in
            if state.isBack { return }
            state.isBack = true
            if state.phase == .watching { setOpen(state, false) }
        }
    }

    package func runDidEnd() {
        state.withLock { state in
            guard state.isBack else { return }
            state.isBack = false
            if state.phase == .watching { setOpen(state, true) }
        }
    }
}
