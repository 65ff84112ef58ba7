import Glibc
package import ReactiveCore
import ReactiveSupport

/// What the contract says, in the most simple-minded way: lists that are searched from the start, and `poll(2)`.
///
/// It shares no code with the engine, so that what both do is not one mistake made twice.
///
/// Why `@unchecked Sendable` is right: a program's threads take turns, by rendezvous.
package final class ReferenceLoop: LoopScheduler, @unchecked Sendable {
    package let name = "reference"
    let time: SimulatedTime
    let mark = CurrentScheduler.Mark()
    private let home = threadIdentity()

    /// Given, and not yet taken by a turn.
    private var given: [ReferenceWork] = []
    private var changes: [() -> Void] = []
    /// Taken.
    private var work: [ReferenceWork] = []
    private var timers: [ReferenceTimer] = []
    private var watches: [ReferenceWatch] = []
    private var turns: UInt64 = 0
    private var timersSet = 0
    private var calls = 0
    private var isRunning = false
    private var isStopping = false
    private var isWaiting = false
    private var isWoken = false
    private var isEnding = false
    private var isOver = false

    init(_ time: SimulatedTime) {
        self.time = time
        mark.attach(self)
    }

    package var isCurrent: Bool { mark.isCurrent }
    package var now: LoopInstant { time.now }
    package var turn: UInt64 { isRunningHere ? turns : 0 }
    package var isDisposed: Bool { isOver || isEnding }
    private var isRunningHere: Bool { isRunning && threadIdentity() == home }

    // MARK: Giving

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

    /// At once on the loop, else when the next turn begins.
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
        preconditionFailure("no program of the generator's listens to signals")
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        preconditionFailure("no program of the generator's has jobs")
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
        for piece in work { piece.dispose() }
        for timer in timers { timer.work = nil }
        for watch in watches { watch.ready = nil }
        work = []
        timers = []
        watches = []
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
        // A stop from before the run makes it one turn that does not wait.
        if takeStop() {
            defer { isStopping = false }
            return try takeTurn { false }
        }
        try body()
    }

    private func take() {
        work += given
        given = []
        let due = changes
        changes = []
        for change in due { change() }
    }

    private func takeTurn(_ mayWait: () -> Bool) throws(LoopError) {
        turns += 1
        take()
        let firstNewTimer = timersSet
        if callWork() { return }
        let events = try wait(mayWait() && work.isEmpty && given.isEmpty && changes.isEmpty)
        if callWatches(events) { return }
        callTimers(before: firstNewTimer)
    }

    /// True where the turn is over.
    private func callWork() -> Bool {
        let count = min(work.count, 4096)
        for _ in 0..<count {
            let piece = work.removeFirst()
            calls += 1
            mark.run { piece.call() }
            if isStopping { return true }
        }
        return false
    }

    private func wait(_ mayWait: Bool) throws(LoopError) -> [(Int32, Readiness)] {
        let first = timers.map(\.effective).min().flatMap { $0 == .distantFuture ? nil : $0 }
        isWaiting = mayWait
        isWoken = false
        defer { isWaiting = false }
        var events: [(Int32, Readiness)] = []
        try time.wait(until: mayWait ? (first.map { .at($0) } ?? .never) : .now) { () throws(LoopError) in
            events = readyDescriptors()
            return isWoken || !events.isEmpty
        }
        return events
    }

    private func readyDescriptors() -> [(Int32, Readiness)] {
        let descriptors = Set(watches.map(\.descriptor)).sorted { time.place(of: $0) < time.place(of: $1) }
        return descriptors.compactMap { descriptor in
            let wanted = watches.filter { $0.descriptor == descriptor && !$0.isDisposed }
                .reduce(into: Readiness()) { wanted, watch in wanted.formUnion(watch.wanted) }
            let ready = Readiness(polling: descriptor, for: wanted)
            return ready.isEmpty ? nil : (descriptor, ready)
        }
    }

    private func callWatches(_ events: [(Int32, Readiness)]) -> Bool {
        if isStopping { return true }
        for (descriptor, readiness) in events {
            for watch in watches where watch.descriptor == descriptor && watch.madeInTurn != turns {
                let told = readiness.intersection(watch.wanted)
                guard !told.isEmpty, let ready = watch.ready else { continue }
                calls += 1
                mark.run { ready(told) }
                if isStopping { return true }
            }
        }
        return false
    }

    private func callTimers(before firstNew: Int) {
        let now = time.now
        var fired: [ReferenceTimer] = []
        // At a fixed rate what was missed counts as of the end of the turn's timers.
        defer {
            let end = time.now
            for timer in fired where timer.work != nil { setAnew(timer, end) }
        }
        while !isStopping {
            let due = timers.filter { $0.effective <= now && $0.effective != .distantFuture && $0.number < firstNew }
            guard let timer = due.min(by: { $0.isBefore($1) }) else { return }
            timers.removeAll { $0 === timer }
            guard let work = timer.work else { continue }
            calls += 1
            if timer.repetition == nil { timer.work = nil }
            mark.run { work() }
            guard let repetition = timer.repetition, timer.work != nil else { continue }
            timer.number = timersSet
            timersSet += 1
            if repetition.base == .delay { setAnew(timer, time.now) } else { fired.append(timer) }
        }
    }

    private func setAnew(_ timer: ReferenceTimer, _ now: LoopInstant) {
        guard let repetition = timer.repetition else { return }
        timer.deadline = repetition.naiveNext(after: timer.deadline, now: now)
        timers.append(timer)
    }
}

extension Readiness {
    fileprivate init(polling descriptor: Int32, for wanted: Readiness) {
        self = []
        guard !wanted.isEmpty else { return }
        let events = (wanted.contains(.read) ? POLLIN : 0) | (wanted.contains(.write) ? POLLOUT : 0)
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        guard poll(&request, 1, 0) == 1 else { return }
        if request.revents & Int16(POLLIN) != 0 { insert(.read) }
        if request.revents & Int16(POLLOUT) != 0 { insert(.write) }
        // A hang-up or an error is ready for everything that is watched for.
        if request.revents & ~Int16(POLLIN | POLLOUT) != 0 { self = wanted }
    }
}

extension Repetition {
    /// The grid walked step by step.
    fileprivate func naiveNext(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        let step = interval.saturatedNanoseconds
        if step <= 0 { return now }
        if base == .delay { return now + interval }
        var next = deadline + interval
        while next < now, next + interval <= now { next = next + interval }
        return next
    }
}
