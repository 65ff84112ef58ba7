// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting

/// The operators that have neither a case nor a picture, and those of properties. `ListTests` reads the names of the calls.
struct Rest<Letter: Text, Number: Whole, Failure: Fault>: Sendable {
    private var a: Signal<Letter, Failure> { Signal(values: ["a", "b"]) }
    private var n: Signal<Number, Failure> { Signal(values: [1, 2]) }
    private var sure: Signal<Letter, Never> { Signal(values: ["y", "z"]) }
    private var failing: Signal<Letter, Failure> { a.concat(.fail(.lost)) }

    var calls: [Call] { sources + combinations + async + properties }

    private var sources: [Call] {
        [
            call("empty", "|") { shown(Signal<Letter, Failure>.empty) },
            call("never", "") { shown(Signal<Letter, Failure>.never) },
            call("Signal(just:)", "a |") { shown(Signal<Letter, Failure>(just: "a")) },
            call("Signal(values:)", "a b |") { shown(a) },
            call("Signal(result:)", "a |") { shown(Signal<Letter, Failure>(result: .success("a"))) },
            call("Signal(result:)", "#") { shown(Signal<Letter, Failure>(result: .failure(.lost))) },
            call("Signal(trying:)", "a |") { shown(Signal<Letter, Failure>(trying: { () throws(Failure) in "a" })) },
            call("Signal(trying:)", "#") {
                shown(Signal<Letter, Failure>(trying: { () throws(Failure) in throw .lost }))
            },
            call("Signal(_:)", "a #") {
                shown(
                    Signal<Letter, Failure> { emitter, _ in
                        emitter.send("a")
                        emitter.fail(.lost)
                    }
                )
            },
        ]
    }

    private var combinations: [Call] {
        [
            call("merge(_:_:)", "a b y z |") { shown(Signal.merge(a, sure)) },
            call("merge(_:_:)", "y z a b #") { shown(Signal.merge(sure, failing)) },
            call("combineLatestAll(_:)", "b2tb b2tz |") {
                shown(
                    Signal.combineLatestAll(a, n, Signal<Bool, Failure>.just(true), a.take(last: 1).concat(value: "z"))
                )
            },
            call("combineLatest(_:_:_:)", "b2a b2b |") { shown(Signal.combineLatest(a, n, a)) },
            call("combineLatest(_:_:_:_:)", "b2b1 b2b2 |") { shown(Signal.combineLatest(a, n, a, n)) },
            call("combineLatest(_:_:_:_:_:)", "b2b2a b2b2b |") { shown(Signal.combineLatest(a, n, a, n, a)) },
            call("combineLatest(_:_:_:_:_:_:)", "b2b2b1 b2b2b2 |") { shown(Signal.combineLatest(a, n, a, n, a, n)) },
            call("zip(_:_:_:)", "a1a b2b |") { shown(Signal.zip(a, n, a)) },
            call("zip(_:_:_:_:)", "a1a1 b2b2 |") { shown(Signal.zip(a, n, a, n)) },
            call("zip(_:_:_:_:_:)", "a1a1a b2b2b |") { shown(Signal.zip(a, n, a, n, a)) },
            call("zip(_:_:_:_:_:_:)", "a1a1a1 b2b2b2 |") { shown(Signal.zip(a, n, a, n, a, n)) },
        ]
    }

    private var async: [Call] {
        [
            call("Signal(async:)", "[a]") {
                text(of: try await Signal<Letter, Failure>(async: { () async throws(Failure) in "a" }).allValues())
            },
            call("Signal(_:) of an AsyncSequence", "[a b]") {
                text(of: try await Signal<Letter, Failure>(a.values).allValues())
            },
            call("values", "ab") { try await joined(a.values) },
            call("values(limit:)", "ab") { try await joined(a.values(limit: 1)) },
            call("first()", "a") { text(of: try await a.first() ?? "none") },
            call("last()", "b") { text(of: try await a.last() ?? "none") },
            call("allValues()", "[a b]") { text(of: try await a.allValues()) },
            call("allValues()", "failed") {
                do throws(Failure) { return text(of: try await failing.allValues()) } catch { return "failed" }
            },
            call("bind(to:)", "z") {
                let property = Property<Letter>("a")
                sure.bind(to: property)
                return text(of: property.value)
            },
            call("subscribe(onMain:onTermination:)", "a b #") {
                await withCheckedContinuation { continuation in
                    let shown = Shown()
                    failing.subscribe(
                        onMain: { shown.add(text(of: $0)) },
                        onTermination: { _ in continuation.resume(returning: shown.line + " #") }
                    )
                }
            },
        ]
    }

    private var properties: [Call] {
        let (a, n, p) = (Property<Letter>("a"), Property<Number>(1), Property(true))
        let (letter, number, flag) = (a.readOnly, n.readOnly, p.readOnly)
        return [
            call("Property.map(_:)", "ab") { both(a.map { $0 + "b" }) },
            call("ReadOnlyProperty.map(_:)", "2") { both(number.map { $0 + 1 }) },
            call("ReadOnlyProperty.combineLatest(with:)", "a1") { both(letter.combineLatest(with: number)) },
            call("ReadOnlyProperty.combineLatest(_:)", "a1t") {
                both(ReadOnlyProperty.combineLatest(letter, number, flag))
            },
            call("ReadOnlyProperty.combineLatest(_:) collection", "[a a]") {
                both(ReadOnlyProperty.combineLatest([letter, letter]))
            },
            call("ReadOnlyProperty.zip(with:)", "a1") { both(letter.zip(with: number)) },
            call("ReadOnlyProperty.skipRepeats(by:)", "a") { both(letter.skipRepeats(by: { $0 == $1 })) },
            call("ReadOnlyProperty.skipRepeats()", "a") { both(letter.skipRepeats()) },
            call("ReadOnlyProperty.flatMap(_:)", "1") { both(letter.flatMap { _ in number }) },
            call("ReadOnlyProperty.and(_:)", "f") { both(flag.and(number.map { $0 == 2 })) },
            call("Command.propagating(_:)", "a |") {
                let command = Command<Letter, Letter, Failure> { .just($0) }.propagating(CaseAmbient.$name)
                return shown(command.apply("a"))
            },
        ]
    }

    private func call(_ name: String, _ expected: String, _ body: @escaping @Sendable () async throws -> String) -> Call
    {
        Call(name: name) { ([try await body()], [expected]) }
    }

    /// Returns the text of a property's value, or of both if its signal sends another value.
    private func both<Value>(_ property: ReadOnlyProperty<Value>) -> String {
        let (value, sent) = (text(of: property.value), shown(property.signal.take(1)))
        return sent == value + " |" ? value : "\(value), but sent \(sent)"
    }

    private func joined(_ values: SignalValues<Letter, Failure>) async throws -> String {
        var all: Letter = ""
        for try await value in values { all += value }
        return text(of: all)
    }
}

/// Lists the events that a signal sends inside `subscribe`.
private func shown<Value: Sendable, Failure: Error>(_ signal: Signal<Value, Failure>) -> String {
    TestScheduler().record(signal).events.map { text(of: $0.event) }.joined(separator: " ")
}

/// The values on the main actor.
@MainActor private final class Shown {
    private(set) var line = ""

    nonisolated init() {}
    func add(_ value: String) { line += line.isEmpty ? value : " " + value }
}
