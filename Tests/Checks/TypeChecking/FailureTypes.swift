// SPDX-License-Identifier: MIT
import ReactiveSignals

struct Broken: Error {}

// Operators that have an overload for each pair of failure types, in one expression.
func promoted(_ sure: Signal<Int, Never>, _ failing: Signal<Int, Broken>) -> Signal<Int, Broken> {
    sure.map { $0 + 1 }.filter { $0 > 0 }
        .flatMap { number in failing.map { $0 + number } }
        .flatMap { .just($0) }
        .take(until: sure)
        .flatMap(.latest) { number in sure.map { $0 * number } }
        .merge(with: sure)
        .concat(failing)
        .map { $0 + 1 }
        .flatMap(.concat) { _ in sure }
        .withLatest(from: sure).map { $0 + $1 }
        .sample(on: failing)
        .map { $0 * 2 }
}

// Many closures of `map`, which has an unavailable overload for closures that throw.
func maps(_ numbers: Signal<Int, Broken>) -> Signal<String, Broken> {
    numbers.map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }.map { $0 % 7 }.map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }
        .map { Double($0) / 2 }.map { $0 * 1.5 }.map { "\($0)" }.map { $0 + "!" }
}
