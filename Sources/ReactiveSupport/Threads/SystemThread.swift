// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// A thread that runs one closure. Any number of other threads may wait until it has exited.
package final class SystemThread: Sendable {
    private struct State {
        var handle: pthread_t?
        /// For a thread of a simulated process, which has no handle.
        var simulated: SimulatedThread?
        var isJoining = false
        var isOver = false
    }

    private let state = Lock(State())

    deinit {
        // No call has joined the thread, so its resources are not freed yet.
        let handle = state.withLock { state in state.isJoining ? nil : state.handle }
        if let handle { pthread_detach(handle) }
    }

    /// A number that no other living thread has.
    package static var currentIdentifier: UInt { UInt(reactive_thread_id()) }

    /// The error if the system refuses a thread. It contains the error number of `pthread_create`, for example
    /// `EAGAIN`.
    package struct Refusal: Error {
        package let errno: Int32
    }

    /// Starts the thread. A debugger and `ps -L` show the first 15 bytes of the name.
    ///
    /// - Throws: ``Refusal`` if the system refuses a thread. `body` is then released.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        if let threads = SimulatedProcess.current?.threads {
            let thread = SimulatedThread()
            state.withLock { state in state.simulated = thread }
            thread.start(name, on: threads, body)
            return
        }
        let handle = try SystemThread.create(name: name, body)
        state.withLock { state in state.handle = handle }
    }

    /// Starts a thread. Traps if the system refuses one. Tests and tools use it.
    package static func orTrap(name: String, _ body: @escaping @Sendable () -> Void) -> SystemThread {
        do {
            return try SystemThread(name: name, body)
        } catch {
            fatalError(unsafe "thread \(name): pthread_create: \(String(cString: strerror(error.errno)))")
        }
    }

    /// Starts a thread that cannot be joined.
    ///
    /// - Throws: ``Refusal`` if the system refuses a thread. `body` is then released.
    package static func detach(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        if let threads = SimulatedProcess.current?.threads { return threads.start(name, body) }
        pthread_detach(try create(name: name, body))
    }

    /// Starts a thread that cannot be joined and that blocks process signals.
    ///
    /// - Throws: ``Refusal`` if the system refuses a thread. `body` is then released.
    package static func detachWorker(name: String, _ body: @escaping @Sendable () -> Void) throws(Refusal) {
        if let threads = SimulatedProcess.current?.threads { return threads.start(name, body) }
        // Safe: the calls below write to these two sets and keep no pointer.
        var (all, previous) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        // A thread raises these signals itself. If they were blocked, they would end the process without calling a
        // handler.
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS] { unsafe sigdelset(&all, signal) }
        // A new thread inherits the signal mask of its creator.
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        pthread_detach(try create(name: name, body))
    }

    /// Blocks until the thread has exited. On the thread itself it returns immediately, and other threads can still
    /// join it.
    package func join() {
        if let thread = state.withLock({ state in state.simulated }) { return thread.join() }
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
            // A second thread that joins polls. This is rare, and lasts only until the thread has exited.
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

    // Safe: C passes the retained reference on as `void *`. It is released once: by the new thread, or here if there is
    // no new thread.
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
