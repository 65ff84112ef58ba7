// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

/// Calls of operators, and the events that they must produce.
struct Call: Sendable {
    let name: String
    /// Returns the events that arrived, and the expected ones.
    let run: @Sendable () async throws -> (received: [String], expected: [String])
}

/// A picture of Tests/MarblePictures, with types that its operators do not know.
struct Picture<Letter: Text, Number: Whole, Failure: Fault>: Sendable {
    let call: Call

    init<Value: Sendable>(
        _ name: String,
        _ inputs: KeyValuePairs<String, Marbles>,
        _ output: Marbles,
        _ labels: [Character: String] = [:],
        _ make: @escaping @Sendable (_ on: Stage) -> Signal<Value, Failure>
    ) {
        let inputs = inputs.map { (name: $0.key, line: $0.value) }
        call = Call(name: name) {
            let stage = Stage(inputs)
            return (try received(make(stage), on: stage.time), expected(output, labels))
        }
    }

    /// Creates a picture of a signal that cannot fail.
    init<Value: Sendable>(
        _ name: String,
        _ inputs: KeyValuePairs<String, Marbles>,
        _ output: Marbles,
        _ labels: [Character: String] = [:],
        _ make: @escaping @Sendable (_ on: Stage) -> Signal<Value, Never>
    ) {
        self.init(name, inputs, output, labels) { make($0).setFailureType(to: Failure.self) }
    }

    /// The sources of a picture by name, and virtual time.
    @dynamicMemberLookup
    struct Stage: Sendable {
        let time = TestScheduler()
        let sources: [String: TestSource<Letter, Failure>]

        init(_ inputs: [(name: String, line: Marbles)]) {
            let time = time
            let values: [Character: Letter] = letters { "\($0)" }
            sources = Dictionary(
                uniqueKeysWithValues: inputs.map { ($0.name, time.cold($0.line, values: values, failure: .lost)) }
            )
        }

        subscript(dynamicMember name: String) -> Signal<Letter, Failure> {
            guard let source = sources[name] else { preconditionFailure("the picture has no input '\(name)'") }
            return source.signal
        }

        private subscript(name: String) -> Signal<Letter, Failure> { self[dynamicMember: name] }
        var n: Signal<Number, Failure> { self["n"].map { Number($0) ?? -1 } }
        var trigger: Signal<Letter, Never> { self["trigger"].flatMapError { _ in .never } }
        var other: Signal<Letter, Never> { self["other"].flatMapError { _ in .never } }
        var p: Signal<Bool, Failure> { self["p"].map { $0 == "t" } }
        var q: Signal<Bool, Failure> { self["q"].map { $0 == "t" } }

        func lifetime(_ frames: Int) -> Lifetime {
            let lifetime = Lifetime()
            time.schedule(after: time.frame * frames) { lifetime.end() }
            return lifetime
        }
    }
}

/// A case of `ListTests`, with types that its operators do not know. It sends what its source sends.
struct OperatorCase<Number: Whole, Failure: Fault>: Sendable {
    typealias Ambient = CaseAmbient
    typealias Naturals = NaturalNumbers<Number>

    let calls: [Call]

    init(
        _ name: String,
        _ make: @escaping @Sendable (Signal<Number, Failure>, any TimedScheduler) -> Signal<Number, Failure>
    ) {
        @Sendable func events(_ line: Marbles) throws -> [String] {
            let time = TestScheduler()
            let values: [Character: Number] = letters { Number(text: $0) ?? -1 }
            return try received(make(time.cold(line, values: values, failure: .broken).signal, time), on: time)
                // Some cases send later, or after the end of the source.
                .map { String($0.drop { $0 != " " }) }
        }
        calls = [
            Call(name: name) { (try events("-1-2-3-|"), [" 1", " 2", " 3", " |"]) },
            // A failure may overtake values.
            Call(name: name + ", failing") { (try events("-1-2-#").suffix(1), [" #"]) },
        ]
    }
}

enum CaseAmbient {
    @TaskLocal static var name = "none"
}

/// The endless sequence 0, 1, 2, ….
struct NaturalNumbers<Number: Whole>: Sequence, IteratorProtocol, Sendable {
    private var last: Number = -1

    mutating func next() -> Number? {
        last += 1
        return last
    }
}

/// The values of all letters and digits.
private func letters<Value>(_ value: (String) -> Value) -> [Character: Value] {
    Dictionary(uniqueKeysWithValues: "abcdefghijklmnopqrstuvwxyz0123456789".map { ($0, value(String($0))) })
}

/// Plays a signal until 40 frames have passed, and returns each event after its frame.
func received<Value: Sendable, Failure: Error>(
    _ signal: Signal<Value, Failure>,
    on time: TestScheduler
) throws -> [String] {
    let recorder = time.record(signal)
    try time.advance(by: time.frame * 40)
    return recorder.events.map { "\(Int(($0.time / time.frame).rounded(.down))): \(text(of: $0.event))" }
}

/// Returns each event of a line of marbles after its frame.
private func expected(_ line: Marbles, _ labels: [Character: String]) -> [String] {
    line.cells.flatMap { cell in
        cell.marks.compactMap { mark in
            switch mark {
            case .value(let letter): "\(cell.frame): \(labels[letter] ?? String(letter))"
            case .completed: "\(cell.frame): |"
            case .failed: "\(cell.frame): #"
            case .subscribed, .disposed: nil
            }
        }
    }
}

/// The text on the marble of a value.
func text(of value: Any) -> String {
    switch value {
    case let isOn as Bool: return isOn ? "t" : "f"
    case let event as any Labelled: return event.label
    case let values as [Any]: return "[" + values.map { text(of: $0) }.joined(separator: " ") + "]"
    default:
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .tuple, !mirror.children.isEmpty else { return "\(value)" }
        return mirror.children.map { text(of: $0.value) }.joined()
    }
}

protocol Labelled {
    var label: String { get }
}

extension Event: Labelled {
    var label: String {
        switch self {
        case .value(let value): text(of: value)
        case .ended(.completed): "|"
        case .ended(.failed): "#"
        }
    }
}
