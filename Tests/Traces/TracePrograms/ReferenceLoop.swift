// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveCore
import ReactiveSupport

/// The simplest possible implementation of the contract: lists that are searched from the start, and `poll(2)`.
///
/// It shares no code with the engine, so that one mistake cannot be in both.
///
/// Why `@unchecked Sendable` is correct: the threads of a program alternate by rendezvous.
package final class ReferenceLoop: LoopScheduler, @unchecked Sendable {
    package let name = "reference"
    let time: SimulatedTime
    let mark = CurrentScheduler.Mark()
    private let home = threadIdentity()

    /// Submitted, and not yet taken by a turn.
    var given: [ReferenceWork] = []
    var changes: [() -> Void] = []
    /// Taken by a turn.
    var work: [ReferenceWork] = []
    var timers: [ReferenceTimer] = []
    var watches: [ReferenceWatch] = []
    var turns: UInt64 = 0
    var timersSet = 0
    var calls = 0
    private var isRunning = false
    var isStopping = false
    var isWaiting = false
    var isWoken = false
    private var isEnding = false
    private var isOver = false
    private var handlers: [ReferenceWork]? = []

    init(_ time: SimulatedTime) {
        self.time = time
        mark.attach(self)
    }

    package var isCurrent: Bool { mark.isCurrent }
    package var now: LoopInstant { time.now }
    package var turn: UInt64 { isRunningHere ? turns : 0 }
    package var isDisposed: Bool { isOver || isEnding }
    private var isRunningHere: Bool { isRunning && threadIdentity() == home }

    // MARK: Submitting work

    package func execute(_ work: @escaping @Sendable () -> Void) { give(ReferenceWork(work)) }

    package func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let piece = ReferenceWork(work)
        give(piece)
        return piece
    }

    package func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        add(ReferenceTimer(self, deadline, nil, options, work))
    }

    package func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        add(ReferenceTimer(self, first, repetition, options, work))
    }

    private func give(_ piece: ReferenceWork) {
        if isOver { return piece.dispose() }
        given.append(piece)
        wake()
    }

    private func wake() { if isWaiting { isWoken = true } }

    private func add(_ timer: ReferenceTimer) -> any Disposable {
        if isOver {
            timer.work = nil
        } else {
            change { [self] in if timer.work != nil { insert(timer) } }
        }
        return timer
    }

    /// Runs `body` at once on the loop, and otherwise at the beginning of the next turn.
    private func change(_ body: @escaping () -> Void) {
        if isRunningHere { return body() }
        changes.append(body)
        wake()
    }

    private func insert(_ timer: ReferenceTimer) {
        timer.number = timersSet
        timersSet += 1
        timers.append(timer)
    }

    func forget(_ timer: ReferenceTimer) {
        if isOver { return }
        let body = { [self] in timers.removeAll { $0 === timer } }
        if isRunning { change(body) } else { body() }
    }

    package func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        if isDisposed { throw LoopError(.disposed, "watch") }
        try requireHere()
        if descriptor < 0 || fcntl(descriptor, F_GETFD) < 0 { throw LoopError(.badDescriptor, "watch") }
        let watch = ReferenceWatch(self, descriptor, interest, isRunning ? turns : 0, ready)
        watches.append(watch)
        return watch
    }

    func requireHere() throws(LoopError) {
        if isRunning, !isRunningHere { throw LoopError(.wrongThread, "watch") }
    }

    func forget(_ watch: ReferenceWatch) {
        if isOver { return }
        let body: @Sendable () -> Void = { [self] in watches.removeAll { $0 === watch } }
        if isRunning, !isRunningHere { execute(body) } else { body() }
    }

    package func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        preconditionFailure("no generated program handles signals")
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        preconditionFailure("no generated program has jobs")
    }

    // MARK: Running

    package func stop() {
        isStopping = true
        wake()
    }

    package func dispose() {
        if isDisposed { return }
        isEnding = true
        if isRunning { stop() } else { end() }
    }

    private func end() {
        take()
        isOver = true
        callHandlers()
        for piece in work { piece.dispose() }
        for timer in timers { timer.work = nil }
        for watch in watches { watch.ready = nil }
        work = []
        timers = []
        watches = []
        // What has been released may have registered others.
        callHandlers()
        handlers = nil
    }

    private func callHandlers() {
        while let next = handlers, !next.isEmpty {
            handlers = []
            for handler in next { handler.call() }
        }
    }

    package func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let handler = ReferenceWork(work)
        if handlers == nil { handler.call() } else { handlers?.append(handler) }
        return handler
    }

    package func run() throws(LoopError) {
        try run { () throws(LoopError) in
            repeat { try takeTurn { true } } while !takeStop()
        }
    }

    package func runUntilIdle() throws(LoopError) {
        try run { () throws(LoopError) in
            while true {
                if work.isEmpty {
                    take()
                    if work.isEmpty, !isAlive { return }
                }
                try takeTurn { isAlive }
                if takeStop() { return }
            }
        }
    }

    package func runOnce(waiting: Bool) throws(LoopError) {
        try run { () throws(LoopError) in
            let before = calls
            repeat { try takeTurn { waiting && calls == before } } while !takeStop() && waiting && calls == before
        }
    }

    private var isAlive: Bool {
        timers.contains { $0.keepsLoopAlive } || watches.contains { $0.keepsLoopAlive }
    }

    private func takeStop() -> Bool {
        defer { isStopping = false }
        return isStopping
    }

    private func run(_ body: () throws(LoopError) -> Void) throws(LoopError) {
        if isRunning { throw LoopError(.alreadyRunning, "run") }
        if isOver { throw LoopError(.disposed, "run") }
        isRunning = true
        defer {
            isRunning = false
            if isEnding { end() }
        }
        // A stop before the run limits the run to one turn that does not wait.
        if takeStop() {
            defer { isStopping = false }
            return try takeTurn { false }
        }
        try body()
    }
}
