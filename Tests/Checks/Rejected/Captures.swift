// SPDX-License-Identifier: MIT
import ReactiveSignals

final class Counter {
    var count = 0
}

func variables(_ numbers: Signal<Int, Never>) {
    var count = 0
    numbers.subscribe { _ in count += 1 }  // rejected: mutation of captured var 'count' in concurrently-executing code
    _ = numbers.map { $0 + count }  // rejected: reference to captured var 'count' in concurrently-executing code
}

func objects(_ numbers: Signal<Int, Never>) {
    let counter = Counter()
    numbers.subscribe { counter.count += $0 }  // rejected: capture of 'counter' with non-Sendable type 'Counter'
}
