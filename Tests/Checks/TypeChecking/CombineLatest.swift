// SPDX-License-Identifier: MIT
import ReactiveSignals

// The closure of RxSwift's issue 2656, which took ten seconds: five parameters without names or type annotations.
func sum(_ signals: (Int) -> Signal<[Int], Never>) {
    let (first, second, third) = (signals(1), signals(2), signals(3))
    let sum = Signal.combineLatest(first, second, third, signals(4), signals(5)).map { $0 + $1 + $2 + $3 + $4 }
    _ = sum
}

// The same with numbers, and with the other operator.
func zipped(_ number: Signal<Int, Never>) {
    let sum = Signal.zip(number, number, number, number, number).map { $0 + $1 + $2 + $3 + $4 }
    _ = sum
}

// Signals of five types.
func mixed(
    _ name: Signal<String, Never>,
    _ count: Signal<Int, Never>,
    _ ratio: Signal<Double, Never>,
    _ isOn: Signal<Bool, Never>,
    _ tags: Signal<[String], Never>
) -> Signal<Bool, Never> {
    Signal.combineLatest(name, count, ratio, isOn, tags).map { name, count, ratio, isOn, tags in
        isOn && !name.isEmpty && count > 3 && ratio >= 0.5 && tags.contains(name) || tags.count == count
    }
}
