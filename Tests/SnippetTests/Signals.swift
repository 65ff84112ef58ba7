// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

// The snippets of Docs/Signals.md.

private let printed = PrintedLines()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ items: Any...) { printed.add(items) }

private enum SensorError: Error { case unplugged }

private func thermostat() {
    let target = Property(20.0)
    let readings = Subject<Double, SensorError>()

    let heating = readings.signal
        .withLatest(from: target.signal)
        .map { reading, target in reading < target }
        .flatMapError { _ in Signal<Bool, Never>.just(false) }
        .skipRepeats()

    let subscription = heating.subscribe(onValue: { print($0 ? "heating on" : "heating off") })
    readings.send(18.5)  // Prints "heating on".
    readings.send(19.0)  // Prints nothing: it is on already.
    target.value = 18.0
    readings.send(19.0)  // Prints "heating off".
    readings.send(17.5)  // Prints "heating on".
    readings.fail(.unplugged)  // Prints "heating off".
    subscription.dispose()
}

private final class Thermostat: Sendable {
    let target = Property(20.0)
    let isHeating: ReadOnlyProperty<Bool>

    init(_ readings: Signal<Double, Never>) {
        let heating = readings.withLatest(from: target.signal).map { reading, target in reading < target }
        isHeating = ReadOnlyProperty(initial: false, then: heating)
    }
}

private func state() {
    let readings = Subject<Double, Never>()
    let thermostat = Thermostat(readings.signal)
    print(thermostat.isHeating.value)  // Prints "false".
    readings.send(18.5)
    print(thermostat.isHeating.value)  // Prints "true".
}

private func polling(on scheduler: any TimedScheduler) -> Signal<Double, Never> {
    Signal { emitter, subscription in
        print("sensor opened")
        let timer = scheduler.schedule(every: .seconds(1)) { emitter.send(19.5) }
        subscription.onDispose {
            timer.dispose()
            print("sensor closed")
        }
    }
}

@Suite(.serialized) struct SignalsPage {
    private func lines(_ snippet: () throws -> Void) rethrows -> [String] {
        let before = printed.lines.count
        try snippet()
        return Array(printed.lines.dropFirst(before))
    }

    @Test func aThermostatSwitches() {
        #expect(lines(thermostat) == ["heating on", "heating off", "heating on", "heating off"])
    }

    @Test func aPropertyHoldsTheState() { #expect(lines(state) == ["false", "true"]) }

    @Test func aSensorIsOpenWhileItIsShared() throws {
        let scheduler = TestScheduler()
        let printed = try lines {
            let readings = polling(on: scheduler).share()
            let first = readings.subscribe(onValue: { print("first", $0) })  // Prints "sensor opened".
            let second = readings.subscribe(onValue: { print("second", $0) })  // Prints nothing.
            try scheduler.advance(by: .seconds(1))  // Prints "first 19.5", "second 19.5".
            first.dispose()
            second.dispose()  // Prints "sensor closed".
        }
        #expect(printed == ["sensor opened", "first 19.5", "second 19.5", "sensor closed"])
    }
}
