// SPDX-License-Identifier: MIT
import ReactiveSignals

// The code of RxSwift's issue 2638. There it ends a program at run time.
@MainActor
final class Screen {
    var title = ""

    func follow(_ names: Signal<String, Never>) {
        _ = names.map { $0 + self.title }  // rejected: main actor-isolated property 'title' can not be referenced
        names.subscribe { self.title = $0 }  // rejected: main actor-isolated property 'title' can not be mutated
        _ = names.filter { _ in self.isShown() }  // rejected: call to main actor-isolated instance method 'isShown()'
    }

    func isShown() -> Bool { true }
}

actor Account {
    var balance = 0

    func follow(_ amounts: Signal<Int, Never>) {
        amounts.subscribe { self.balance += $0 }  // rejected: actor-isolated property 'balance' can not be mutated
    }
}
