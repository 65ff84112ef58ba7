// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

// The snippets of Docs/ComingFrom.md. Each test runs one and compares what it prints with its comments.

private let printed = Recorder<String>()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

private func zipCompletes() throws {
    let scheduler = TestScheduler()
    let letters = scheduler.cold("a|").signal
    let digits = scheduler.cold("--1-2|").signal
    let pairs = scheduler.record(letters.zip(with: digits).map { $0.0 })
    try scheduler.run()
    print(pairs.marbles)  // Prints "--(a|)".
}

private func combineLatestCompletes() throws {
    let scheduler = TestScheduler()
    let letters = scheduler.cold("a-b-c|").signal
    let digits = scheduler.cold("-1|").signal
    let empty = scheduler.cold("-|").signal
    let both = scheduler.record(letters.combineLatest(with: digits).map { $0.0 })
    let none = scheduler.record(letters.combineLatest(with: empty).map { $0.0 })
    try scheduler.run()
    print(both.marbles)  // Prints "-ab-c|".
    print(none.marbles)  // Prints "-|".
}

private func withLatestOfAnEmptySignal() throws {
    let scheduler = TestScheduler()
    let letters = scheduler.cold("a-b-c|").signal
    let digits = scheduler.cold("-1|").signal
    let some = scheduler.record(letters.withLatest(from: digits).map { $0.0 })
    let none = scheduler.record(letters.withLatest(from: Signal<Int, Never>.empty).map { $0.0 })
    try scheduler.run()
    print(some.marbles)  // Prints "--b-c|".
    print(none.marbles)  // Prints "|".
}

private func sampleCompletesWithItsTrigger() throws {
    let scheduler = TestScheduler()
    let letters = scheduler.cold("ab|").signal
    let ticks = scheduler.cold("--x-x-|").signal
    let sampled = scheduler.record(letters.sample(on: ticks))
    try scheduler.run()
    print(sampled.marbles)  // Prints "--b-b-|".
}

private func groupsAfterDisposal() {
    let numbers = Subject<Int, Never>()
    let groups = numbers.signal.group(by: { $0 % 2 }).subscribe(onValue: { group in
        group.signal.subscribe(onValue: { print("group", group.key, "sends", $0) })
    })
    numbers.send(1)  // Prints "group 1 sends 1".
    groups.dispose()
    numbers.send(3)  // Prints nothing.
}

private func lateSubscribers() {
    let source = Signal<Int, Never> { emitter, _ in
        print("starts")
        emitter.send(1)
        emitter.complete()
    }
    let shared = source.share()
    shared.subscribe(onValue: { print("shared", $0) })  // Prints "starts", "shared 1".
    shared.subscribe(onValue: { print("shared", $0) })  // Prints "starts", "shared 1" again.

    let replayed = source.replayLazily(upTo: 1)
    replayed.subscribe(onValue: { print("replayed", $0) })  // Prints "starts", "replayed 1".
    replayed.subscribe(onValue: { print("replayed", $0) })  // Prints "replayed 1": nothing starts.

    let connectable = source.multicast()
    connectable.connect()  // Prints "starts". Nothing is subscribed yet, so the value is lost.
    connectable.connect()  // Prints nothing.
    connectable.signal.subscribe(onValue: { _ in }, onTermination: { print($0) })  // Prints "completed".
}

private func retryCountsRetries() {
    enum Broken: Error { case wire }
    let source = Signal<Int, Broken> { emitter, _ in
        print("runs")
        emitter.fail(.wire)
    }
    source.retry(upTo: 2).subscribe(onValue: { print($0) }, onTermination: { _ in print("failed") })
    // Prints "runs" three times, then "failed".
}

private func releasingDisposables() {
    let numbers = Subject<Int, Never>()
    numbers.signal.subscribe(onValue: { print("kept", $0) })
    let lifetime = Lifetime()
    lifetime.add(numbers.signal.subscribe(onValue: { print("limited", $0) }))
    numbers.send(1)  // Prints "kept 1", "limited 1".
    lifetime.end()
    numbers.send(2)  // Prints "kept 2".
}

private func propertiesSendAfterTheyAreSet() {
    let level = Property(0)
    let view = level.readOnly  // Unlike the property, an observer may retain it.
    level.signal.skip(1).subscribe(onValue: { print("sends", $0, "reads", view.value) })
    level.value = 1  // Prints "sends 1 reads 1".
}

private func failuresThatAreReplaced() {
    enum Broken: Error { case wire }
    let source = Signal<Int, Broken>(values: [1, 2]).concat(.fail(.wire))
    let safe = source.flatMapError { _ in .just(0) }  // A Signal<Int, Never>.
    safe.subscribe(onValue: { print($0) }, onTermination: { _ in print("completed") })
    // Prints "1", "2", "0", "completed".
}

/// One at a time: they print into one recorder.
@Suite(.serialized) struct ComingFromSnippets {
    private func expect(_ lines: [String], _ snippet: () throws -> Void) rethrows {
        printed.clear()
        try snippet()
        #expect(printed.values == lines)
    }

    @Test func zip() throws { try expect(["--(a|)"], zipCompletes) }
    @Test func combineLatest() throws { try expect(["-ab-c|", "-|"], combineLatestCompletes) }
    @Test func withLatest() throws { try expect(["--b-c|", "|"], withLatestOfAnEmptySignal) }
    @Test func sample() throws { try expect(["--b-b-|"], sampleCompletesWithItsTrigger) }
    @Test func groups() { expect(["group 1 sends 1"], groupsAfterDisposal) }

    @Test func sharing() {
        let shared = ["starts", "shared 1", "starts", "shared 1"]
        let replayed = ["starts", "replayed 1", "replayed 1"]
        expect(shared + replayed + ["starts", "completed"], lateSubscribers)
    }

    @Test func retry() { expect(["runs", "runs", "runs", "failed"], retryCountsRetries) }
    @Test func disposables() { expect(["kept 1", "limited 1", "kept 2"], releasingDisposables) }
    @Test func properties() { expect(["sends 1 reads 1"], propertiesSendAfterTheyAreSet) }
    @Test func failures() { expect(["1", "2", "0", "completed"], failuresThatAreReplaced) }
}
