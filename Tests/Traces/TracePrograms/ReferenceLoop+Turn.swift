// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSupport

/// One turn of the reference loop.
extension ReferenceLoop {
    func take() {
        work += given
        given = []
        let due = changes
        changes = []
        for change in due { change() }
    }

    func takeTurn(_ mayWait: () -> Bool) throws(LoopError) {
        turns += 1
        take()
        let firstNewTimer = timersSet
        if callWork() { return }
        let events = try wait(mayWait() && work.isEmpty && given.isEmpty && changes.isEmpty)
        if callWatches(events) { return }
        callTimers(before: firstNewTimer)
    }

    /// Returns true if the turn is over.
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
        // At a fixed rate, firings are counted as missed up to the end of the turn's timers.
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
        // A hang-up or an error makes every watched kind of readiness ready.
        if request.revents & ~Int16(POLLIN | POLLOUT) != 0 { self = wanted }
    }
}

extension Repetition {
    /// Walks the grid step by step.
    fileprivate func naiveNext(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        let step = interval.saturatedNanoseconds
        if step <= 0 { return now }
        if base == .delay { return now + interval }
        var next = deadline + interval
        while next < now, next + interval <= now { next = next + interval }
        return next
    }
}
