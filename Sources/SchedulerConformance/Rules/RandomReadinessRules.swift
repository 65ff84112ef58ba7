// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// N28: random programs whose reference is poll(2).
enum RandomReadinessRules {
    static let all = [n28]

    static let n28 = Rule(
        "N28",
        "In random programs, a turn calls the watches that poll(2) finds ready and no other. A loop without one sleeps, and its timers are not late.",
        needs: [.realTime, .descriptors, .kernelDescriptors]
    ) { check in
        var program = ReadinessProgram(check, try check.loop())
        defer { program.end() }
        for step in 1...200 where check.failure == nil {
            try program.change()
            try program.turn(step)
            if step.isMultiple(of: 20) { try program.idle(step) }
        }
        try program.checkTimers()
    }
}

/// A loop with random watches of descriptors of every kind, which become ready and unready at random.
private struct ReadinessProgram {
    private struct Watch {
        let end: WatchedEnd
        let watch: any DescriptorWatch
        /// What the turn has reported.
        let reported: Box<Readiness>

        /// What poll(2) finds.
        var found: Readiness { end.readiness(for: watch.interest) }
    }

    private let check: Check
    private let loop: any LoopScheduler
    private var random: SplitMix64
    private var ends: [WatchedEnd]
    private var watches: [Watch] = []
    private let timer = Box<(any Disposable)?>(nil)
    /// The smallest lateness of the measured timers. `nil` before the first one.
    private var lateness: Duration?
    /// The number of timers that may still be measured.
    private var timersLeft = 5
    /// A descriptor that no loop can watch.
    private let file = Descriptor.openFile("/proc/self/exe")

    init(_ check: Check, _ loop: any LoopScheduler) {
        (self.check, self.loop, random) = (check, loop, check.random())
        ends = WatchedEnd.Kind.allCases.map { WatchedEnd($0) }
    }

    private var isReady: Bool { watches.contains { !$0.found.isEmpty } }

    /// Makes one to four changes. Most of them change an end, so that the watches meet many states before they change.
    mutating func change() throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let number = Int.random(in: ends.indices, using: &random)
            switch Int.random(in: 0..<13, using: &random) {
            case 0, 1, 2: try add(to: ends[number])
            case 3: try watches.randomElement(using: &random)?.watch.setInterest(interest())
            case 4: if let index = watches.indices.randomElement(using: &random) { dispose(at: index) }
            case 5:
                for index in watches.indices.reversed() where watches[index].end === ends[number] { dispose(at: index) }
                ends[number] = WatchedEnd(WatchedEnd.Kind.allCases.randomElement(using: &random) ?? .stream)
            case 6: addRefused()
            default: ends[number].apply(WatchedEnd.Change.allCases.randomElement(using: &random) ?? .take)
            }
        }
    }

    private mutating func interest() -> Readiness {
        [[], .read, .read, .write, [.read, .write]].randomElement(using: &random) ?? []
    }

    private mutating func add(to end: WatchedEnd) throws {
        if watches.count(where: { $0.end === end }) == 3 { return }
        let reported = Box(Readiness())
        let watch = try loop.watch(end.near, for: interest()) { reported.value = $0 }
        watches.append(Watch(end: end, watch: watch, reported: reported))
    }

    private mutating func addRefused() {
        let interest = interest()
        do throws(LoopError) {
            try loop.watch(file, for: interest) { _ in }.dispose()
            check.fail(expected: "a watch of a regular file is refused", seen: "no error")
        } catch {
            check.equal(error.code, .badDescriptor, "the error of a watch of a regular file")
        }
    }

    private mutating func dispose(at index: Int) { watches.remove(at: index).watch.dispose() }

    /// Runs a turn. It must report what poll(2) finds both before and after it, and nothing else, except what it finds at one
    /// of these times: bytes may arrive during the turn.
    mutating func turn(_ step: Int) throws {
        for watch in watches { watch.reported.value = [] }
        let before = watches.map(\.found)
        let isReady = before.contains { !$0.isEmpty }
        try loop.runOnce(waiting: isReady && Bool.random(using: &random))
        for (watch, before) in zip(watches, before) {
            let (seen, after) = (watch.reported.value, watch.found)
            check.expect(
                seen.isSuperset(of: before.intersection(after)) && seen.isSubset(of: before.union(after)),
                "turn \(step) reports \(before) of a \(watch.end.kind) watched for \(watch.watch.interest)",
                seen: "\(seen)"
            )
        }
    }

    /// Narrows the interest of the ready watches, and checks that the loop sleeps.
    mutating func idle(_ step: Int) throws {
        for index in watches.indices.reversed() {
            let (watch, found) = (watches[index].watch, watches[index].found)
            if found.isEmpty { continue }
            let rest = watch.interest.subtracting(found)
            if rest.isEmpty, Bool.random(using: &random) { dispose(at: index) } else { try watch.setInterest(rest) }
        }
        let delays: [Duration?] = [
            nil, .milliseconds(10), .milliseconds(45), .seconds(1), .seconds(30), .seconds(7200),
        ]
        let delay = delays.randomElement(using: &random) ?? nil
        setTimer(delay)
        if isReady { return }
        let watched = watches.map { "\($0.end.kind): \($0.watch.interest)" }.joined(separator: ", ")
        let what = "after step \(step), with \(delay.map { "a timer of \($0)" } ?? "no timer") and \(watched)"
        try IdleRules.idle(check, loop, what, for: .milliseconds(60), beforeEach: { setTimer(delay) }) { isReady }
        try measureTimer()
    }

    private func setTimer(_ delay: Duration?) {
        timer.value?.dispose()
        timer.value = delay.map { loop.schedule(after: $0) {} }
    }

    private var latest: Duration { .milliseconds(25) * check.scale }

    /// Waits for a timer of 10 ms, and keeps the smallest lateness. The best of five timers counts, because the machine may
    /// delay the others.
    private mutating func measureTimer() throws {
        guard timersLeft > 0, lateness ?? latest >= latest else { return }
        timersLeft -= 1
        let (due, late) = (loop.now + .milliseconds(10), Box<Duration?>(nil))
        _ = loop.schedule(at: due, options: TimerOptions()) { [loop] in late.value = loop.now - due }
        while late.value == nil { try loop.runOnce(waiting: true) }
        if let late = late.value { lateness = min(lateness ?? late, late) }
    }

    /// Checks that one of five timers is in time.
    mutating func checkTimers() throws {
        while timersLeft > 0, lateness ?? latest >= latest { try measureTimer() }
        guard let lateness else { return }
        check.expect(
            lateness < latest,
            "a timer of 10 ms is late by less than \(latest) while descriptors are watched",
            seen: "\(lateness), at best"
        )
    }

    /// Disposes the watches before their descriptors are closed.
    func end() {
        timer.value?.dispose()
        for watch in watches { watch.watch.dispose() }
        Descriptor.close(file)
    }
}
