// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore

/// A loop as a third party writes one: sockets know nothing of it but its interface.
final class ForwardingLoop: LoopScheduler {
    private let base: any LoopScheduler
    /// Whether it refuses each watch, as a system without memory does.
    private let refusesWatches: Bool

    init(_ base: any LoopScheduler, refusesWatches: Bool = false) {
        self.base = base
        self.refusesWatches = refusesWatches
    }

    var name: String { base.name }
    var turn: UInt64 { base.turn }
    var now: LoopInstant { base.now }
    var isCurrent: Bool { base.isCurrent }
    var isDisposed: Bool { base.isDisposed }

    func dispose() { base.dispose() }
    func stop() { base.stop() }
    func run() throws(LoopError) { try base.run() }
    func runUntilIdle() throws(LoopError) { try base.runUntilIdle() }
    func runOnce(waiting: Bool) throws(LoopError) { try base.runOnce(waiting: waiting) }

    func execute(_ work: __owned @escaping @Sendable () -> Void) { base.execute(work) }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable { base.schedule(work) }

    func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        base.schedule(at: deadline, options: options, work)
    }

    func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        base.schedule(at: first, repeating: repetition, options: options, work)
    }

    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        if refusesWatches { throw LoopError(.systemCall, errno: ENOMEM, "the system has no memory for this test") }
        return try base.watch(descriptor, for: interest, ready)
    }

    func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        try base.onSignal(signal, handler)
    }

    func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable { base.onDispose(work) }

    func enqueue(_ job: consuming ExecutorJob) { base.enqueue(job) }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { base.asUnownedSerialExecutor() }
    func asUnownedTaskExecutor() -> UnownedTaskExecutor { base.asUnownedTaskExecutor() }
}
