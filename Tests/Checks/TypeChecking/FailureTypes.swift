// SPDX-License-Identifier: MIT
import ReactiveSignals

struct Broken: Error {}

// Operators that have an overload for each pair of failure types, in one expression.
func promoted(_ sure: Signal<Int, Never>, _ failing: Signal<Int, Broken>) -> Signal<Int, Broken> {
    failing.map { $0 + 1 }.filter { $0 > 0 }
        .flatMap { number in sure.map { $0 + number } }
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

// The same with closures of several statements.
func statements(_ sure: Signal<Int, Never>, _ failing: Signal<Int, Broken>) -> Signal<Int, Broken> {
    sure.setFailureType(to: Broken.self)
        .flatMap(.latest) { number in
            let next = number + 1
            return failing.map { $0 + next }
        }
        .take(until: sure)
        .flatMap(.concat) { number in
            let next = number * 2
            return sure.filter { $0 < next }
        }
        .merge(with: sure).map { $0 + 1 }.concat(.just(3))
}

// Many closures of `map`. It also has an unavailable overload for closures that throw.
func maps(_ numbers: Signal<Int, Broken>) -> Signal<String, Broken> {
    numbers.map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }.map { $0 % 7 }.map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }
        .map { "\($0)" }.map { $0 + "!" }
}
