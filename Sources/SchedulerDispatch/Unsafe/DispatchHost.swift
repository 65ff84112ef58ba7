package import Dispatch
import Glibc
package import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// Runs a loop as a guest of a queue: one source over the loop's epoll set. The main queue's is the main thread's loop's too,
/// and stands back while that one's own `run` goes on.
///
/// Why `@unchecked Sendable` is right: queue and source are thread-safe objects of libdispatch's, `source` is set once, before
/// anybody else knows the guest, and everything else is locked. A source's handler is never run by two threads at once, also where
/// its queue is concurrent.
package final class DispatchHost: YieldingHost, @unchecked Sendable {
    private enum Phase { case new, running, paused, over }

    // A struct around the closure: by itself, each access through the lock would wrap it once more, and put that back.
    private struct State {
        var phase = Phase.new
        var turn: (@Sendable () -> Void)?
    }

    private let queue: DispatchQueue
    private let here = DispatchSpecificKey<Bool>()
    private var source: (any DispatchSourceRead)?
    private let state = Lock(State())
    /// Left when libdispatch has let go of the guest's descriptor.
    package let released = DispatchGroup()

    package init(_ queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: here, value: true)
    }

    deinit { queue.setSpecific(key: here, value: nil) }

    package var isHere: Bool? { DispatchQueue.getSpecific(key: here) == true }

    package func attach(_ original: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        // A duplicate, closed when libdispatch has let go of it: it must not meet a number that is closed, or somebody
        // else's, and it learns of a cancellation later than the loop closes its own.
        let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { throw LoopError.system("fcntl for the source of a queue's guest", errno) }
        let made = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        made.setEventHandler { [weak self] in self?.ready() }
        released.enter()
        made.setCancelHandler { [released] in
            close(descriptor)
            released.leave()
        }
        source = made
        state.withLock { state in state = State(phase: .running, turn: turn) }
        made.activate()
    }

    package func detach() {
        // What the turn holds goes behind the lock.
        let last = state.withLock { state in
            defer { state = State(phase: .over) }
            return state
        }
        // A suspended source is never told that it is cancelled, and releasing it is a crash of libdispatch's.
        if last.phase == .paused { source?.resume() }
        source?.cancel()
    }

    private func ready() {
        // One that was on its way when the loop's own run began, or when it was disposed.
        let now = state.withLock { state in state }
        if now.phase == .running { now.turn?() }
    }

    package func runWillBegin() {
        guard change(from: .running, to: .paused) else { return }
        source?.suspend()
    }

    package func runDidEnd() {
        guard change(from: .paused, to: .running) else { return }
        source?.resume()
    }

    private func change(from one: Phase, to other: Phase) -> Bool {
        state.withLock { state in
            guard state.phase == one else { return false }
            state.phase = other
            return true
        }
    }
}
