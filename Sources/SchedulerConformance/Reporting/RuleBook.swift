// SPDX-License-Identifier: MIT
/// The rules as tables of Docs/Contract.md.
struct RuleBook {
    let rules: [Rule]

    /// A table for each group, under its heading.
    var tables: String {
        RuleGroup.all.compactMap { group in
            let rows = rules.filter { $0.group == group.letter }
            if rows.isEmpty { return nil }
            let lines = rows.map { "| \($0.id) | \($0.level.rawValue) | \($0.statement) |" }
            return (["## \(group.title)", "", "| Rule | Class | The promise |", "|---|---|---|"] + lines)
                .joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}

/// The rules with one letter, or with the same letters.
struct RuleGroup {
    let letter: String
    let title: String

    static let all: [RuleGroup] = [
        RuleGroup(letter: "S", title: "Order and fairness"),
        RuleGroup(letter: "T", title: "Timers"),
        RuleGroup(letter: "X", title: "Hops between threads"),
        RuleGroup(letter: "C", title: "The current scheduler"),
        RuleGroup(letter: "R", title: "Run and stop"),
        RuleGroup(letter: "K", title: "Keeping the loop alive"),
        RuleGroup(letter: "F", title: "Forks"),
        RuleGroup(letter: "G", title: "Process signals and children"),
        RuleGroup(letter: "M", title: "The main loop"),
        RuleGroup(letter: "D", title: "Disposal"),
        RuleGroup(letter: "N", title: "Sockets"),
        RuleGroup(letter: "TLS", title: "TLS"),
        RuleGroup(letter: "Z", title: "Resources"),
        RuleGroup(letter: "E", title: "Exhaustion"),
        RuleGroup(letter: "L", title: "Laws of signals that a loop can break"),
    ]
}

extension Rule {
    /// The letter of the rule's group.
    var group: String { String(id.prefix { $0.isLetter }) }
}
