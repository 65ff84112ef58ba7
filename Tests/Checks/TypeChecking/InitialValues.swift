// SPDX-License-Identifier: MIT
import ReactiveSignals

// A literal without a type leaves the type of the state open while the closures are checked. `map` has one overload, so
// that such a chain of ordinary closures takes little time.
func literals(_ numbers: Signal<Int, Never>) -> Signal<String, Never> {
    numbers.map { $0 + 1 }.filter { $0 % 2 == 0 }.scan(0) { $0 + $1 }.map { $0 - 1 }.filter { $0 > 3 }.map { $0 * 3 }
        .scan(1) { $0 * $1 }.filter { $0 != 0 }.map { "\($0)" }
}

// With `flatMap` and with `into:`, the literal needs a type.
func typedLiterals(_ numbers: Signal<Int, Never>) -> Signal<String, Never> {
    numbers.map { $0 + 1 }.filter { $0 % 2 == 0 }.scan(0 as Int) { $0 + $1 }.flatMap(.latest) { Signal.just($0 * 2) }
        .map { $0 - 1 }.scan(into: 0 as Int) { $0 += $1 }.flatMap { value in Signal.just(value + 1) }.map { $0 * 3 }
        .reduce(0 as Int) { $0 + $1 }.filter { $0 < 100 }.map { "\($0)" }
}
