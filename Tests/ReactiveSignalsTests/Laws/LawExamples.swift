// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

// The examples of Docs/Laws.md, word for word. Each test runs one example and compares its output.

private let printed = Log<String>()

/// Replaces the standard library's function, so that a test can read the output of an example.
private func print(_ items: Any...) { printed.add(items.map { "\($0)" }.joined(separator: " ")) }

private func afterDisposal() {
    let numbers = Subject<Int, Never>()
    let subscription = numbers.signal.subscribe(onValue: { print($0) }, onTermination: { _ in print("terminated") })
    numbers.send(1)  // Prints "1".
    subscription.dispose()
    numbers.send(2)  // Prints nothing.
    numbers.complete()  // Prints nothing.
}

private func oneOrder() {
    let numbers = Subject<Int, Never>()
    numbers.signal.subscribe(onValue: { number in
        print("first", number)
        if number == 1 { numbers.send(2) }
    })
    numbers.signal.subscribe(onValue: { print("second", $0) })
    numbers.send(1)  // Prints "first 1", "second 1", "first 2", "second 2".
}

private func noLocks() {
    let level = Property(0)
    level.signal.subscribe(onValue: { value in
        // An observer may read and change the property that calls it.
        if value == 1 { level.modify { $0 += 1 } }
        print(value)
    })
    level.value = 1  // After the "0" of the subscription: prints "1", "2".
}

private func sendingDuringADelivery() {
    let numbers = Subject<Int, Never>()
    numbers.signal.subscribe(onValue: { number in
        print("begin", number)
        if number == 1 { numbers.send(2) }
        print("end", number)
    })
    numbers.send(1)  // Prints "begin 1", "end 1", "begin 2", "end 2".
}

private func releasing() {
    let numbers = Subject<Int, Never>()
    numbers.signal.subscribe(onValue: { print("kept", $0) })
    var scoped: ScopedDisposable? = ScopedDisposable(numbers.signal.subscribe(onValue: { print("scoped", $0) }))
    numbers.send(1)  // Prints "kept 1", "scoped 1".
    withExtendedLifetime(scoped) {}
    scoped = nil
    numbers.send(2)  // Prints "kept 2".
}

private func upstreamFirst() {
    let source = Signal<Int, Never> { emitter, subscription in
        subscription.onDispose { print("released") }
        emitter.send(1)
        emitter.complete()
    }
    source.subscribe(onValue: { print($0) }, onTermination: { _ in print("completed") })
    // Prints "1", "released", "completed".
}

private func hopping() throws {
    let scheduler = TestScheduler()
    let numbers = Subject<Int, Never>()
    numbers.signal.map { $0 * 10 }.subscribe(onValue: { print("map", $0) })
    numbers.signal.observe(on: scheduler).subscribe(onValue: { print("hop", $0) })
    numbers.send(1)  // Prints "map 10" on this thread.
    numbers.send(2)  // Prints "map 20".
    try scheduler.run()  // Prints "hop 1", "hop 2" on the scheduler.
}

private func constantStack() {
    let last = Signal<Int, Never>(values: [1]).repeat(times: 100_000).scan(0, +).take(last: 1)
    last.subscribe(onValue: { print($0) })  // Prints "100000".
}

private enum Broken: Error { case wire }

private func failures() throws {
    let scheduler = TestScheduler()
    let source = Subject<Int, Broken>()
    source.signal.delay(.seconds(1), on: scheduler)
        .subscribe(onValue: { print($0) }, onTermination: { _ in print("failed") })
    source.send(1)
    source.fail(.wire)  // Prints "failed": the failure overtakes the delayed value.
    try scheduler.run()  // Prints nothing.
}

private func sideEffects() {
    let source = Signal<Int, Never> { emitter, _ in
        print("starts")
        emitter.send(1)
        emitter.complete()
    }
    source.subscribe(onValue: { print($0) })  // Prints "starts", "1".
    source.subscribe(onValue: { print($0) })  // Prints "starts", "1" again.
}

private func pausing() {
    let numbers = Subject<Int, Never>()
    let subscription = numbers.signal.subscribe(onValue: { print($0) }, onTermination: { _ in print("completed") })
    let pause = subscription.pause()
    numbers.send(1)
    numbers.complete()
    print("paused")
    pause.dispose()  // Prints "1", "completed".
}

@Suite(.serialized) struct LawExamples {
    private func expect(_ lines: [String], _ example: () throws -> Void) rethrows {
        let before = printed.count
        try example()
        #expect(Array(printed.entries.dropFirst(before)) == lines)
    }

    @Test func law1() { expect(["1"], afterDisposal) }
    @Test func law2() { expect(["first 1", "second 1", "first 2", "second 2"], oneOrder) }
    @Test func law3() { expect(["0", "1", "2"], noLocks) }
    @Test func law4() { expect(["begin 1", "end 1", "begin 2", "end 2"], sendingDuringADelivery) }
    @Test func law5() { expect(["kept 1", "scoped 1", "kept 2"], releasing) }
    @Test func law6() { expect(["1", "released", "completed"], upstreamFirst) }
    @Test func law7() throws { try expect(["map 10", "map 20", "hop 1", "hop 2"], hopping) }
    @Test func law8() { expect(["100000"], constantStack) }
    @Test func law9() throws { try expect(["failed"], failures) }
    @Test func law10() { expect(["starts", "1", "starts", "1"], sideEffects) }
    @Test func law11() { expect(["paused", "1", "completed"], pausing) }
}
