// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

struct Broken: Error {}
struct Lost: Error {}

/// Signals of different failure types as operands of operators that accept a second signal.
func operators(_ failing: Signal<Int, Broken>, _ sure: Signal<Int, Never>, _ strategy: FlattenStrategy) {
    var all: [Signal<Int, Broken>] = [
        failing.flatMap { _ in sure }, failing.flatMap(strategy) { _ in sure }, failing.flatMap { .just($0) },
        sure.setFailureType(to: Broken.self).flatMap { _ in failing },
        failing.map { _ in sure }.flatten(strategy), sure.map { _ in failing }.flatten(strategy),
        failing.merge(with: sure), sure.merge(with: failing), .merge(failing, sure), .merge(sure, failing),
        failing.concat(sure), sure.concat(failing), failing.prefix(sure), sure.prefix(failing),
        failing.then(sure), sure.then(failing),
        failing.take(until: sure), sure.take(until: failing), failing.take(until: failing),
        failing.skip(until: sure), sure.skip(until: failing), failing.skip(until: failing),
        failing.take(untilReplacement: sure), sure.take(untilReplacement: failing),
        failing.sample(on: sure), sure.sample(on: failing), failing.sample(on: failing),
        failing.window(boundary: sure).flatMap { $0 }, sure.window(boundary: failing).flatMap { $0 },
    ]
    let pairs: [Signal<(Int, Int), Broken>] = [
        failing.combineLatest(with: sure), sure.combineLatest(with: failing),
        failing.zip(with: sure), sure.zip(with: failing),
        failing.withLatest(from: sure), sure.withLatest(from: failing), failing.withLatest(from: failing),
        failing.sample(with: sure), sure.sample(with: failing), failing.sample(with: failing),
    ]
    all += pairs.map { $0.map { $0 + $1 } }
    // The combination of two signals that cannot fail cannot fail.
    let none: [Signal<Int, Never>] = [
        sure.flatMap { _ in sure }, sure.flatMap { .just($0) }, sure.merge(with: sure), sure.merge(with: .empty),
        sure.concat(sure), sure.take(until: sure), sure.skip(until: sure), sure.sample(on: sure),
        sure.take(untilReplacement: sure), sure.map { _ in sure }.flatten(),
    ]
    _ = (all, none)
}

/// Sources have the failure type that the context states.
func sources(_ failing: Signal<Int, Broken>, _ sure: Signal<Int, Never>, _ time: any TimedScheduler) {
    let make: (Int) -> Signal<Int, Broken> = { number in
        switch number {
        case 0: .just(number)
        case 1: .empty
        case 2: .never
        case 3: .interval(.seconds(1), on: time)
        case 4: .interval(.seconds(1), startingAfter: .zero, on: time)
        case 5: .fail(Broken())
        default: failing
        }
    }
    let timer: () -> Signal<Void, Broken> = { .timer(after: .seconds(1), on: time) }
    let late: () -> Signal<Int, Broken> = { Signal.timer(after: .seconds(1), on: time).map { 1 } }
    let first = failing.flatMap { number in
        if number > 1 { return .just(number) }
        return failing
    }
    let second = failing.flatMap { number in
        if number > 1 { return sure }
        return .just(number)
    }
    let third = failing.flatMap { _ in .timer(after: .seconds(1), on: time) }.map { 1 }
    let fourth = failing.take(until: .timer(after: .seconds(1), on: time))
    let fifth = failing.merge(with: .interval(.seconds(1), on: time)).concat(.just(1)).prefix(.empty)
    let all: [Signal<Int, Broken>] = [make(0), late(), first, second, third, fourth, fifth]
    _ = (all, timer())
}

/// Generic code with a failure type as its parameter.
func generic<Failure: Error>(_ numbers: Signal<Int, Failure>, _ stop: Signal<Void, Never>) -> Signal<Int, Failure> {
    numbers.take(until: stop).flatMap { number in Signal<Int, Never>.just(number) }.merge(with: .empty)
}

/// A replacement of a failure.
func replacements(_ failing: Signal<Int, Broken>, _ sure: Signal<Int, Never>) {
    let inferred = failing.flatMapError { _ in .just(1) }
    let none: [Signal<Int, Never>] = [
        inferred, failing.flatMapError { _ in sure }, failing.flatMapError { _ in .empty },
    ]
    let other: Signal<Int, Lost> = failing.flatMapError { _ in .just(1) }
    let lost = failing.flatMapError { _ in Signal<Int, Lost>.fail(Lost()) }
    _ = (none, [other, lost])
}

/// A map with a closure that does not throw.
func maps(_ failing: Signal<Int, Broken>, _ parse: @escaping @Sendable (Int) -> String) {
    _ = failing.map(parse).map { $0.count }.map { number in
        let half = number / 2
        return "\(half)"
    }
    _ = failing.map { try? convert($0) }.skipNil().attemptMap { (number) throws(Broken) in try check(number) }
    _ = failing.map(\.description)
}

func convert(_ number: Int) throws -> Int { number }
func check(_ number: Int) throws(Broken) -> Int { number }

/// Loops over a signal's values, without arguments.
func loops(_ failing: Signal<Int, Broken>, _ sure: Signal<Int, Never>) async throws(Broken) -> Int {
    var sum = 0
    for await number in sure.values { sum += number }
    for await number in sure.values(limit: 8) { sum += number }
    for try await number in failing.values { sum += number }
    let values = failing.values
    for try await number in values { sum += number }
    return sum
}
