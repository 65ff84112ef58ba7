package import ReactiveSignals
package import ReactiveTesting

/// What goes wrong in the pictures.
package enum Trouble: Error, Sendable {
    case lost, late
}

/// One operator, or one strategy of a command, as it is shown: what goes in, the expression, what comes out.
///
/// The lists of these are the one place that says it: a test plays each of them and compares what comes out, and what is drawn
/// in the documentation is what has been played. The expression is the text of the closure in its source file, so that it
/// cannot be another one than the one that ran.
package struct Picture: Sendable, CustomStringConvertible {
    /// The operator's signature, and what else it takes to tell several pictures of it apart.
    package let name: String
    /// The lines of the sources, by the names that the expression has for them; each begins when it is subscribed to.
    package let inputs: [(name: String, line: Marbles)]
    /// What is to come out.
    package let output: Marbles
    /// What letters of the output stand for, where a value is longer than a letter.
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

    /// The same for a signal that cannot fail.
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

    /// All of them, in the order of the tables.
    package static let all = operators + strategies

    /// Those of operators.
    package static let operators = groups.flatMap(\.pictures)

    /// The same by what they are for.
    package static let groups: [(title: String, pictures: [Picture])] = [
        ("Sources", sources), ("Transforming", transforming), ("Filtering", filtering), ("Combining", combining),
        ("Flattening", flattening), ("Failures", recovering), ("Time", timing), ("Threads, buffers, sharing", sharing),
    ]
}
