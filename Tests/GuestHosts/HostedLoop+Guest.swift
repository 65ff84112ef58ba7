// SPDX-License-Identifier: MIT
package import ReactiveCore

// The operations that the guest alone implements.
extension HostedLoop: LoopScheduler {
    package var name: String { guest.name }
    package var turn: UInt64 { guest.turn }
    package var isCurrent: Bool { guest.isCurrent }
    package var now: LoopInstant { guest.now }
    package var isDisposed: Bool { guest.isDisposed }

    package func execute(_ work: @escaping @Sendable () -> Void) { guest.execute(work) }

    package func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable { guest.schedule(work) }

    package func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        guest.schedule(at: deadline, options: options, work)
    }

    package func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        guest.schedule(at: first, repeating: repetition, options: options, work)
    }

    package func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        try guest.watch(descriptor, for: interest, ready)
    }

    package func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        try guest.onSignal(signal, handler)
    }

    package func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable { guest.onDispose(work) }

    package func enqueue(_ job: consuming ExecutorJob) { guest.enqueue(job) }

    // The executor is this object and not the guest: a task retains its executor, which must keep the host alive.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    package func checkIsolated() { precondition(isCurrent, "not on loop \(name)") }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
