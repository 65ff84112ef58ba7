// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import Testing

// The snippets of the catalogue of ReactiveSignals. Each test runs one and compares what it prints.

private let printed = PrintedLines()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ items: Any...) { printed.add(items) }

private func warnings() {
    let celsius = Property(19.0)
    let subscription = celsius.signal
        .map { $0 > 21 }
        .skipRepeats()
        .filter { $0 }
        .subscribe(onValue: { _ in print("too warm") })

    celsius.value = 22.5  // Prints "too warm".
    celsius.value = 23.1  // Prints nothing: it is still too warm.
    celsius.value = 18.0
    subscription.dispose()
    celsius.value = 24.0  // Prints nothing: nothing is subscribed.
}

private func cold() {
    let numbers = Signal<Int, Never> { emitter, _ in
        print("starts")
        emitter.send(1)
        emitter.send(2)
        emitter.complete()
    }
    numbers.subscribe(onValue: { print($0) })  // Prints "starts", "1", "2".
    numbers.subscribe(onValue: { print($0) })  // Prints "starts", "1", "2" again.
}

private func hot() {
    let keys = Subject<String, Never>()
    keys.send("a")  // Prints nothing: nothing is subscribed.
    keys.signal.subscribe(onValue: { print("first", $0) })
    keys.send("b")  // Prints "first b".
    keys.signal.subscribe(onValue: { print("second", $0) })
    keys.send("c")  // Prints "first c", "second c".
}

private func properties() {
    let volume = Property(3)
    volume.signal.subscribe(onValue: { print($0) })  // Prints "3".
    volume.value = 5  // Prints "5".
    volume.modify { $0 += 1 }  // Prints "6".
    let isLoud = volume.map { $0 > 5 }
    print(isLoud.value)  // Prints "true".
}

private func sharing() {
    let connection = Signal<Int, Never> { _, subscription in
        print("connects")
        subscription.onDispose { print("disconnects") }
    }
    let shared = connection.share()
    let first = shared.subscribe()  // Prints "connects".
    let second = shared.subscribe()  // Prints nothing: it uses the same connection.
    first.dispose()
    second.dispose()  // Prints "disconnects".
}

private enum ReadError: Error { case disconnected }

private func terminations() {
    let readings = Subject<Int, ReadError>()
    readings.signal.subscribe(
        onValue: { print($0) },
        onTermination: { termination in
            switch termination {
            case .completed: print("completed")
            case .failed(let error): print("failed:", error)
            }
        }
    )
    readings.send(1)  // Prints "1".
    readings.fail(.disconnected)  // Prints "failed: disconnected".
    readings.send(2)  // Prints nothing: the signal has terminated.
}

private func failures() {
    let readings = Signal<Int, ReadError>.fail(.disconnected)
    let safe: Signal<Int, Never> = readings.retry(upTo: 2).flatMapError { _ in .just(0) }
    safe.subscribe(onValue: { print($0) })  // Prints "0", after three attempts.
}

private func pausing() {
    let subscription = SignalSubscription()
    let pause = subscription.pause()
    let numbers = Signal<Int, Never>(values: [1, 2, 3])
    numbers.subscribe(in: subscription, onValue: { print($0) })
    print("paused")
    pause.dispose()  // Prints "1", "2", "3".
}

private final class Display: Sendable {
    private let lifetime = Lifetime()

    init(showing values: Signal<Int, Never>) {
        values.take(during: lifetime).subscribe(onValue: { print("display", $0) })
    }
}

private func lifetimes() {
    let counter = Subject<Int, Never>()
    var displays = [Display(showing: counter.signal)]
    counter.send(1)  // Prints "display 1".
    displays.removeAll()
    counter.send(2)  // Prints nothing: the display has been released.
}

private func awaiting() async {
    let numbers = Signal<Int, Never>(values: [1, 2, 3])
    for await number in numbers.values { print(number) }  // Prints "1", "2", "3".
    let sum = await numbers.reduce(0, +).last()
    print(sum ?? 0)  // Prints "6".
}

@Suite(.serialized) struct DocsSignals {
    private func expect(_ lines: [String], _ snippet: () -> Void) {
        let before = printed.lines.count
        snippet()
        #expect(Array(printed.lines.dropFirst(before)) == lines)
    }

    @Test func aPropertyWarnsOnce() { expect(["too warm"], warnings) }
    @Test func aColdSignalStartsForEachSubscription() { expect(["starts", "1", "2", "starts", "1", "2"], cold) }
    @Test func aHotSignalSendsToPresentSubscribers() { expect(["first b", "first c", "second c"], hot) }
    @Test func aPropertyBeginsWithItsValue() { expect(["3", "5", "6", "true"], properties) }
    @Test func aSharedSignalStartsOnce() { expect(["connects", "disconnects"], sharing) }
    @Test func nothingFollowsATermination() { expect(["1", "failed: disconnected"], terminations) }
    @Test func aFailureIsReplaced() { expect(["0"], failures) }
    @Test func aPauseStopsTheSource() { expect(["paused", "1", "2", "3"], pausing) }
    @Test func aLifetimeEndsASubscription() { expect(["display 1"], lifetimes) }

    @Test func aLoopReceivesTheValues() async {
        let before = printed.lines.count
        await awaiting()
        #expect(Array(printed.lines.dropFirst(before)) == ["1", "2", "3", "6"])
    }
}
