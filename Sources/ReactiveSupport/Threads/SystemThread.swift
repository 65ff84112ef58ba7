import CReactive
import Glibc

/// A thread that runs one closure, and can be waited for by any number of others.
package final class SystemThread: Sendable {
    private struct State {
        var handle: pthread_t?
        var isJoining = false
        var isOver = false
    }

    private let state = Lock(State())

    deinit {
        // Nobody has waited, so nobody has given the thread's remains back.
        let handle = state.withLock { state in state.isJoining ? nil : state.handle }
        if let handle { pthread_detach(handle) }
    }

    /// Why there is no thread: the error number of `pthread_create`, `EAGAIN` where the system gives no more.
    package struct Refusal: Error {
        package let errno: Int32
    }

    /// Starts it. The name, cut to the 15 bytes that Linux keeps, is what a debugger and `ps -L` show.
    ///
    /// - Throws: ``Refusal`` where the system gives no thread. `body` is released then.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        let handle = try SystemThread.create(name: name, body)
        state.withLock { state in state.handle = handle }
    }

    /// The same for tests and tools, which trap where the system gives no thread.
    package static func orTrap(name: String, _ body: @escaping @Sendable () -> Void) -> SystemThread {
        do {
            return try SystemThread(name: name, body)
        } catch {
            preconditionFailure(unsafe "no thread \(name): pthread_create: \(String(cString: strerror(error.errno)))")
        }
    }

    /// Starts one that nobody waits for.
    ///
    /// - Throws: ``Refusal`` where the system gives no thread. `body` is released then.
    package static func detach(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        pthread_detach(try create(name: name, body))
    }

    /// Starts one that nobody waits for and that process signals leave alone.
    ///
    /// - Throws: ``Refusal`` where the system gives no thread. `body` is released then.
    package static func detachWorker(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        // Safe: the calls below write to these two sets and keep no pointer.
        var (all, previous) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        // What a thread does to itself: blocked, these would end the process without a word.
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS] { unsafe sigdelset(&all, signal) }
        // A thread begins with the mask of the one that makes it.
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        pthread_detach(try create(name: name, body))
    }

    /// Waits until it has ended. On the thread itself it returns at once; others can wait all the same.
    package func join() {
        enum Part { case joiner(pthread_t), waiter, nothing }
        let part: Part = state.withLock { state in
            guard let handle = state.handle, !state.isOver, pthread_equal(handle, pthread_self()) == 0 else {
                return .nothing
            }
            if state.isJoining { return .waiter }
            state.isJoining = true
            return .joiner(handle)
        }
        switch part {
        case .nothing: return
        case .joiner(let handle):
            pthread_join(handle, nil)
            state.withLock { state in state.isOver = true }
        case .waiter:
            // Two threads wait for a third: rare, and over as soon as it ends.
            while !state.withLock({ state in state.isOver }) { usleep(200) }
        }
    }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    // Safe: the retain travels through C's `void *` and is taken back, once: by the new thread, or here where there is none.
    private static func create(
        name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(Refusal) -> pthread_t {
        let context = unsafe Unmanaged.passRetained(Start(name, body))
        var handle = pthread_t()
        let code = unsafe pthread_create(&handle, nil, threadBody, context.toOpaque())
        if code == 0 { return handle }
        unsafe context.release()
        throw Refusal(errno: code)
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        unsafe reactive_thread_set_name(String(start.name.utf8.prefix(15)) ?? "thread")
        start.body()
    }
}

private func threadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context { unsafe SystemThread.run(context) }
    return nil
}
