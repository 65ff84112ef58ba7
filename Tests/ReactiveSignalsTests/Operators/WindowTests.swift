// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

@Suite struct WindowTests {
    private let time = Timeline()
    private var scheduler: TestScheduler { time.scheduler }

    /// Writes each window as its values and its termination, in the order of all events.
    private func spell<Failure: Error>(_ windows: Signal<Signal<Character, Failure>, Failure>) -> String {
        let log = Log<String>()
        let sign: @Sendable (Termination<Failure>, String, String) -> String = { termination, completed, failed in
            if case .completed = termination { completed } else { failed }
        }
        windows.subscribe(
            onValue: { window in
                log.add("(")
                window.subscribe(onValue: { log.add("\($0)") }, onTermination: { log.add(sign($0, ")", "!")) })
            },
            onTermination: { log.add(sign($0, "|", "#")) }
        )
        return log.entries.joined()
    }

    @Test func windowsByCount() {
        let letters = Signal<Character, TestError>(values: "abcde")
        #expect(spell(letters.window(count: 2)) == "(ab)(cd)(e)|")
        #expect(spell(letters.window(count: 5)) == "(abcde)|")
        #expect(spell(letters.window(count: 0)) == "(a)(b)(c)(d)(e)|")
        #expect(spell(letters.concat(.fail(.broken)).window(count: 3)) == "(abc)(de!#")
        #expect(spell(Signal<Character, Never>.empty.window(count: 3)) == "|")
    }

    @Test("A window by time begins with its first value")
    func windowsByTime() {
        let lengths = time.cold("-ab---c--de|").signal.window(every: .seconds(3), on: scheduler)
            .flatMap { $0.collect() }
        time.expect(lengths, "----b----d-(e|)") { $0.last ?? "?" }
        let full = time.cold("-ab---c--de|").signal.window(every: .seconds(3), count: 2, on: scheduler)
            .flatMap { $0.collect() }
        time.expect(full, "--b------d-(e|)") { $0.last ?? "?" }
        time.expect(time.cold("ab#").signal.window(every: .seconds(3), on: scheduler).flatMap { $0 }, "ab#")
        #expect(scheduler.isIdle)
    }

    @Test func windowsByBoundary() {
        let windows = time.cold("ab-cd-e|").signal.window(boundary: time.cold("--x-x-x-").signal)
        time.expect(windows.flatMap { $0.collect() }, "--b-c-d(e|)") { $0.last ?? "?" }
        let quiet = time.cold("ab|").signal.window(boundary: Signal<Int, Never>.just(1))
        time.expect(quiet.flatMap { $0.collect() }, "--(b|)") { $0.last ?? "?" }
        let broken = time.cold("ab-c|").signal.window(boundary: time.cold("--#").signal)
        time.expect(broken.flatMap { $0 }, "ab#")
    }

    @Test("A window stores its values until its first subscriber arrives")
    func aWindowWaitsForItsFirstSubscriber() {
        let subject = Subject<Int, Never>()
        let windows = Log<Signal<Int, Never>>()
        subject.signal.window(count: 3).subscribe { windows.add($0) }
        for value in 1...4 { subject.send(value) }
        #expect(windows.entries.count == 2)
        let recorders = windows.entries.map { $0.record() }
        let late = windows.entries[1].record()
        subject.send(5)
        subject.complete()
        #expect(recorders[0].events == (1...3).map { .value($0) } + [.ended(.completed)])
        #expect(recorders[1].events == [.value(4), .value(5), .ended(.completed)])
        #expect(late.events == [.value(5), .ended(.completed)])
    }

    @Test("A window that arrives behind a hop has all its values")
    func aWindowThatWaitsLosesNothing() throws {
        let subject = Subject<Int, Never>()
        let log = Log<Int>()
        let hop = TestScheduler()
        subject.signal.window(count: 2).observe(on: hop).subscribe { window in
            window.subscribe { log.add($0) }
        }
        for value in 1...3 { subject.send(value) }
        #expect(log.entries.isEmpty)
        try hop.run()
        #expect(log.entries == [1, 2, 3])
    }

    /// The first subscriber receives every value once, although another thread sends during the subscription.
    @Test("Subscribing to a window during sends loses and repeats nothing")
    func subscribingWhileAnotherThreadSends() {
        for _ in 0..<20 {
            let subject = Subject<Int, Never>()
            let window = Box<Signal<Int, Never>?>(nil)
            let recorder = Box<Recorder<Int, Never>?>(nil)
            subject.signal.window(count: .max).subscribe { window.value = $0 }
            subject.send(0)
            onThreads(2) { thread in
                if thread == 0 {
                    for number in 1..<500 { subject.send(number) }
                    subject.complete()
                } else {
                    recorder.value = window.value?.record()
                }
            }
            #expect(recorder.value?.events == (0..<500).map { .value($0) } + [.ended(.completed)])
        }
    }

    @Test("Disposing the subscription stops the windows")
    func disposingStopsTheWindows() {
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        let log = Log<Int>()
        subject.signal.window(count: 9).subscribe(in: subscription) { window in
            window.subscribe(onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
        }
        subject.send(1)
        subscription.dispose()
        subject.send(2)
        subject.complete()
        #expect(log.entries == [1])
    }

    @Test("A disposal after the termination does not stop a paused window")
    func aDisposalAfterTheTermination() {
        let subject = Subject<Int, Never>()
        let (subscription, inner) = (SignalSubscription(), SignalSubscription())
        let log = Log<Int>()
        subject.signal.window(count: 3).subscribe(in: subscription) { window in
            window.subscribe(in: inner, onValue: { log.add($0) }, onTermination: { _ in log.add(-1) })
        }
        subject.send(1)
        let token = inner.pause()
        subject.send(2)
        subject.complete()
        subscription.dispose()
        token.dispose()
        #expect(log.entries == [1, 2, -1])
    }

    @Test("The inputs are released before a window terminates")
    func theInputsAreReleasedFirst() {
        let boundary = Box(false)
        let log = Log<Bool>()
        let subject = Subject<Int, Never>()
        let ticks = Signal<Int, Never>.never.handleEvents(onDispose: { boundary.value = true })
        subject.signal.window(boundary: ticks).subscribe { window in
            window.subscribe(onValue: { _ in }, onTermination: { _ in log.add(boundary.value) })
        }
        subject.send(1)
        subject.complete()
        #expect(log.entries == [true])
    }
}
