// SPDX-License-Identifier: MIT
import ReactiveSignals

final class Mutable {
    var value = 0
}

let subject = Subject<Mutable, Never>()  // rejected: type 'Mutable' does not conform to the 'Sendable' protocol
let property = Property(Mutable())  // rejected: type 'Mutable' does not conform to the 'Sendable' protocol

func make(_ numbers: Signal<Int, Never>) {
    _ = numbers.map { _ in Mutable() }  // rejected: type 'Mutable' does not conform to the 'Sendable' protocol
}
