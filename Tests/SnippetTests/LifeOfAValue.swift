// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

private let printed = Box<[String]>([])

/// Takes the place of the standard library's function, so that the test can read what the snippet prints.
private func print(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    printed.update { lines in lines.append(line) }
}

private func quotes() throws {
    let (scheduler, prices, rate) = (TestScheduler(), Subject<Int, Never>(), Property(2))
    let subscription = prices.signal
        .map { price in price + 1 }
        .withLatest(from: rate.signal)
        .map { pair in pair.0 * pair.1 }
        .observe(on: scheduler)
        .subscribe(onValue: { print($0) }, onTermination: { _ in print("completed") })
    prices.send(9)
    try scheduler.run()  // Prints "20".
    let pause = subscription.pause()
    prices.send(10)
    prices.complete()
    rate.value = 3
    try scheduler.run()  // Prints nothing: 10 and the completion wait in the subject.
    pause.dispose()
    try scheduler.run()  // Prints "33", "completed".
}

@Suite struct LifeOfAValueTests {
    @Test("Docs/LifeOfAValue.md: a value passes a map, a junction and a hop, and waits in the subject during a pause")
    func journey() throws {
        try quotes()
        #expect(printed.value == ["20", "33", "completed"])
    }
}
