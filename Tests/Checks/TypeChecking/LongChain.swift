// SPDX-License-Identifier: MIT
import ReactiveSignals

// Twenty operators in one expression, with ordinary closures.
func longChain(_ numbers: Signal<Int, Never>, _ others: Signal<String, Never>) -> Signal<String, Never> {
    numbers
        .map { $0 + 1 }
        .filter { $0 % 2 == 0 }
        .skipRepeats()
        .skip(1)
        .take(while: { $0 < 1000 })
        .withLatest(from: others)
        .map { "\($0): \($1)" }
        .handleEvents(onValue: { _ in })
        .filter { !$0.isEmpty }
        .skip(while: { $0.count < 2 })
        .collect(count: 2)
        .map { $0.joined(separator: ", ") }
        .prefix(value: "first")
        .concat(value: "last")
        .retry(upTo: 2)
        .share()
        .take(100)
        .skipRepeats()
        .take(last: 3)
        .repeat(times: 2)
}
