// SPDX-License-Identifier: MIT
/// The threads of a simulated process (Decision 0048). The seed decides when each of them runs.
package protocol SimulatedThreads: Sendable {
    /// The names of the threads that run.
    var names: [String] { get }

    /// Starts a thread, which later runs `body` as code of the process.
    func start(_ name: String, _ body: @escaping @Sendable () -> Void)

    /// Blocks the calling thread until `isDone` returns true, or until a simulated duration has passed. Other threads
    /// run in the meantime. It may return early, so callers check the condition again.
    ///
    /// - Parameters:
    ///   - nanoseconds: The duration. nil means no limit.
    ///   - isDone: The simulation may call it often. It must not call the simulation.
    func wait(nanoseconds: Int64?, until isDone: @escaping @Sendable () -> Bool)
}

/// The state of a simulated thread that other threads can join.
final class SimulatedThread: Sendable {
    private enum Phase { case starting, running(UInt), over }

    private let phase = Lock(Phase.starting)

    func start(_ name: String, on threads: any SimulatedThreads, _ body: @escaping @Sendable () -> Void) {
        let run = Run(body, of: self)
        threads.start(name) { run.perform() }
    }

    private var isOver: Bool { phase.withLockAtOnce { if case .over = $0 { true } else { false } } }

    private var isCurrent: Bool {
        phase.withLockAtOnce { if case .running(SystemThread.currentIdentifier) = $0 { true } else { false } }
    }

    /// Blocks until the thread has exited. On the thread itself it returns immediately.
    func join() {
        if isCurrent { return }
        while !isOver {
            if let threads = SimulatedProcess.current?.threads {
                threads.wait(nanoseconds: nil) { self.isOver }
            } else {
                YieldPoint.yieldProcessor()
            }
        }
    }

    /// Runs the closure and releases it, with everything that it retains, before it reports the exit.
    private final class Run: Sendable {
        private struct State { var body: (@Sendable () -> Void)? }

        private let state: Lock<State>
        private let thread: SimulatedThread

        init(_ body: @escaping @Sendable () -> Void, of thread: SimulatedThread) {
            state = Lock(State(body: body))
            self.thread = thread
        }

        // A thread whose process has ended before it began has also exited.
        deinit { end() }

        func perform() {
            thread.phase.withLockAtOnce { phase in phase = .running(SystemThread.currentIdentifier) }
            performAndRelease()
            end()
        }

        @inline(never)
        private func performAndRelease() {
            let body = state.withLockAtOnce { state in state.body.take() }
            body?()
        }

        private func end() { thread.phase.withLockAtOnce { phase in phase = .over } }
    }
}
