import CReactive
import Glibc
import ReactiveSupport

/// A thread that runs one closure, and can be waited for by any number of others.
final class Thread: Sendable {
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

    /// Starts it. The name, cut to the 15 bytes that Linux keeps, is what a debugger and `ps -L` show.
    init(name: String, _ body: @escaping @Sendable () -> Void) {
        let handle = Thread.start(name: name, body)
        state.withLock { state in state.handle = handle }
    }

    /// Starts one that nobody waits for.
    static func detach(name: String, _ body: @escaping @Sendable () -> Void) {
        pthread_detach(start(name: name, body))
    }

    /// Waits until it has ended. On the thread itself it returns at once; others can wait all the same.
    func join() {
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

    // The retain travels through C's `void *` and is taken back, once, by the new thread.
    private static func start(name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t {
        let context = Unmanaged.passRetained(Start(name, body)).toOpaque()
        var handle = pthread_t()
        let code = pthread_create(&handle, nil, threadBody, context)
        precondition(code == 0, "the system gives no more threads: \(String(cString: strerror(code)))")
        return handle
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        reactive_thread_set_name(String(start.name.utf8.prefix(15)) ?? "loop")
        start.body()
    }
}

private func threadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Thread.run(context) }
    return nil
}
