// SPDX-License-Identifier: MIT
import ReactiveSignals

// The accepted forms of the code in Rejected/Isolation.swift.
@MainActor
final class Screen {
    var title = ""

    func follow(_ names: Signal<String, Never>) {
        names.subscribe(onMain: { self.title = $0 })
        let suffix = title
        _ = names.map { $0 + suffix }
    }

    func await(_ names: Signal<String, Never>) async {
        for await name in names.values { title = name }
    }
}

actor Account {
    var balance = 0

    func follow(_ amounts: Signal<Int, Never>) async {
        for await amount in amounts.values { balance += amount }
    }
}
