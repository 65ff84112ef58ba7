import Dispatch
import Glibc
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// Runs the main thread's loop as a guest of the main queue: one source over the loop's epoll set, and one timer.
///
/// Why `@unchecked Sendable` is right: the two sources are thread-safe objects of libdispatch's; the handlers run on the main
/// queue, one at a time, and `pauses` is under a lock.
final class DispatchHost: LoopHost, @unchecked Sendable {
    // The loop lets go of its host when it is disposed; a main loop that is not lives as long as the process.
    private let loop: DispatchLoop
    private let readiness: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    private let isPaused = Lock(false)

    init(_ loop: DispatchLoop) {
        self.loop = loop
        // A duplicate, closed when libdispatch has let go of it: it must not meet a number that is closed, or somebody
        // else's, and it learns of a cancellation later than the loop closes its own.
        guard let original = loop.pollDescriptor else { preconditionFailure("a Dispatch loop without epoll") }
        let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
        precondition(descriptor >= 0, "the system has no descriptor left for the main thread's loop")
        readiness = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
        readiness.setEventHandler { [weak self] in self?.turn() }
        readiness.setCancelHandler { close(descriptor) }
        timer.setEventHandler { [weak self] in self?.turn() }
        timer.schedule(deadline: .distantFuture)
        readiness.activate()
        timer.activate()
        // What was given before there was a host woke nobody.
        DispatchQueue.main.async { [weak self] in self?.turn() }
    }

    func runWillBegin() {
        let mustSuspend = isPaused.withLock { isPaused in
            defer { isPaused = true }
            return !isPaused
        }
        guard mustSuspend else { return }
        readiness.suspend()
        timer.suspend()
    }

    func runDidEnd() {
        let mustResume = isPaused.withLock { isPaused in
            defer { isPaused = false }
            return isPaused
        }
        guard mustResume else { return }
        readiness.resume()
        timer.resume()
        DispatchQueue.main.async { [weak self] in self?.turn() }
    }

    func loopWasDisposed() {
        // Releasing a suspended source is a crash of libdispatch's.
        runDidEnd()
        readiness.cancel()
        timer.cancel()
    }

    private func turn() {
        if isPaused.withLock({ isPaused in isPaused }) { return }
        do {
            switch try loop.turnAsGuest() {
            // Behind the queue's own blocks, so that neither starves the other.
            case .now: DispatchQueue.main.async { [weak self] in self?.turn() }
            case .never: timer.schedule(deadline: .distantFuture)
            case .at(let instant):
                timer.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(max(0, instant.nanoseconds))))
            }
        } catch {
            // Disposed, or run by its own run(): both tell this host, and it has nothing to do until then.
            if error.code == .disposed || error.code == .alreadyRunning { return }
            preconditionFailure("loop \(loop.name) broke down: \(error)")
        }
    }
}
