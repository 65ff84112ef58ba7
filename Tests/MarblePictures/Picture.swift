// SPDX-License-Identifier: MIT
package import ReactiveSignals
package import ReactiveTesting

/// The failures in the pictures.
package enum Trouble: Error, Sendable {
    case lost, late
}

/// The picture of one operator or of one command strategy: the inputs, the expression and the output.
///
/// A test plays each picture and compares the output, and the documentation shows what was played. The expression is
/// the text of the closure in its source file, so it is always the code that ran. A client in another package compiles
/// the pictures with type parameters in place of `String`, `Int` and `Trouble` (Tests/Checks/Unspecialised).
package struct Picture: Sendable, CustomStringConvertible {
    /// The operator's signature, and an addition that distinguishes several pictures of one operator.
    package let name: String
    /// The lines of the sources, by their names in the expression. Each begins when it is subscribed to.
    package let inputs: [(name: String, line: Marbles)]
    /// The expected output.
    package let output: Marbles
    /// The meaning of letters in the output, for values that are longer than a letter.
    package let labels: [Character: String]
    let file: String
    let line: Int
    let make: @Sendable (Stage) -> Signal<String, Trouble>

    package init<Value: Sendable>(
        _ name: String,
        _ inputs: KeyValuePairs<String, Marbles>,
        _ output: Marbles,
        _ labels: [Character: String] = [:],
        file: String = #filePath,
        line: Int = #line,
        _ make: @escaping @Sendable (_ on: Stage) -> Signal<Value, Trouble>
    ) {
        self.name = name
        self.inputs = inputs.map { (name: $0.key, line: $0.value) }
        self.output = output
        self.labels = labels
        self.file = file
        self.line = line
        self.make = { stage in make(stage).map { label(of: $0) } }
    }

    /// Creates a picture of a signal that cannot fail.
    package init<Value: Sendable>(
        _ name: String,
        _ inputs: KeyValuePairs<String, Marbles>,
        _ output: Marbles,
        _ labels: [Character: String] = [:],
        file: String = #filePath,
        line: Int = #line,
        _ make: @escaping @Sendable (_ on: Stage) -> Signal<Value, Never>
    ) {
        self.init(name, inputs, output, labels, file: file, line: line) { stage in
            make(stage).setFailureType(to: Trouble.self)
        }
    }

    /// The operator's name and labels.
    package var signature: String { String(name.prefix { $0 != " " }) }

    package var description: String { name }

    /// All pictures, in the order of the tables.
    package static let all = operators + strategies

    /// The pictures of operators.
    package static let operators = groups.flatMap(\.pictures)

    /// The pictures of operators, grouped by purpose.
    package static let groups: [(title: String, pictures: [Picture])] = [
        ("Sources", sources), ("Transforming", transforming), ("Filtering", filtering), ("Combining", combining),
        ("Flattening", flattening), ("Failures", recovering), ("Time", timing), ("Threads, buffers, sharing", sharing),
    ]
}
