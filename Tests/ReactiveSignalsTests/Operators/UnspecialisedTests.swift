// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// A value whose type only the run time knows. Generic code that receives two of them is not specialised.
private protocol Reading: Sendable {
    associatedtype Value: Sendable
    var value: Value { get }
}

private struct Sensor<Value: Sendable>: Reading {
    let value: Value
}

/// Hides the types of the readings from the optimiser.
@inline(never)
@_optimize(none)
private func readings() -> [any Reading] { [Sensor(value: 1), Sensor(value: "x"), Sensor(value: 2.5)] }

/// Every use of a parameter pack, called with types that the compiler does not know.
///
/// In a release build, Swift 6.3.1 compiles a loop that only counts a pack to one iteration, unless it specialises it.
@Suite struct UnspecialisedTests {
    private enum Context {
        @TaskLocal static var number = 0
        @TaskLocal static var word = "none"
    }

    /// Calls `body` with the values of three types.
    @inline(never)
    @_optimize(none)
    private func open(_ body: any PackUse) {
        func three<A: Reading, B: Reading, C: Reading>(_ a: A, _ b: B, _ c: C) { body.use(a.value, b.value, c.value) }
        let all = readings()
        three(all[0], all[1], all[2])
    }

    @Test("combineLatestAll waits for each of its inputs")
    func combineLatest() {
        let log = Log<String>()
        open(CombineLatest(log: log))
        #expect(log.entries == [#"(1, "x", 2.5)"#, "completed"])
    }

    @Test("zipAll waits for each of its inputs")
    func zip() {
        let log = Log<String>()
        open(Zip(log: log))
        #expect(log.entries == [#"(1, "x", 2.5)"#, #"(1, "x", 2.5)"#, "completed"])
    }

    @Test("A combined property has the values of all properties")
    func property() {
        let log = Log<String>()
        open(CombinedProperty(log: log))
        #expect(log.entries == [#"(1, "x", 2.5)"#, #"(1, "x", 2.5)"#, #"(1, "x")"#])
    }

    @Test("A signal and a command propagate each of their task-locals")
    func propagating() {
        let log = Log<String>()
        Context.$number.withValue(7) {
            Context.$word.withValue("seven") {
                let signal = Self.propagating(Signal<Int, Never>.just(1), Context.$number, Context.$word)
                Context.$number.withValue(8) {
                    Context.$word.withValue("eight") {
                        signal.map { _ in "\(Context.number) \(Context.word)" }.subscribe { log.add($0) }
                    }
                }
            }
        }
        // The values are those of the subscription.
        #expect(log.entries == ["8 eight"])
    }

    @inline(never)
    @_optimize(none)
    private static func propagating<A: Sendable, B: Sendable>(
        _ signal: Signal<Int, Never>,
        _ a: TaskLocal<A>,
        _ b: TaskLocal<B>
    ) -> Signal<Int, Never> {
        signal.propagating(a, b)
    }
}

/// One operator, applied to values of any three types.
private protocol PackUse {
    var log: Log<String> { get }
    func use<A: Sendable, B: Sendable, C: Sendable>(_ a: A, _ b: B, _ c: C)
}

private struct CombineLatest: PackUse {
    let log: Log<String>

    func use<A: Sendable, B: Sendable, C: Sendable>(_ a: A, _ b: B, _ c: C) {
        Signal.combineLatestAll(Signal<A, Never>.just(a), Signal<B, Never>.just(b), Signal<C, Never>.just(c))
            .subscribe(onValue: { log.add("\($0)") }, onTermination: { log.add("\($0)") })
    }
}

private struct Zip: PackUse {
    let log: Log<String>

    func use<A: Sendable, B: Sendable, C: Sendable>(_ a: A, _ b: B, _ c: C) {
        let signals = (
            Signal<A, Never>(values: [a, a]), Signal<B, Never>(values: [b, b]), Signal<C, Never>(values: [c, c])
        )
        Signal.zipAll(signals.0, signals.1, signals.2)
            .subscribe(onValue: { log.add("\($0)") }, onTermination: { log.add("\($0)") })
    }
}

private struct CombinedProperty: PackUse {
    let log: Log<String>

    func use<A: Sendable, B: Sendable, C: Sendable>(_ a: A, _ b: B, _ c: C) {
        let (first, second, third) = (Property(a).readOnly, Property(b).readOnly, Property(c).readOnly)
        let all = ReadOnlyProperty.combineLatest(first, second, third)
        log.add("\(all.value)")
        all.signal.subscribe { log.add("\($0)") }
        first.combineLatest(with: second).signal.subscribe { log.add("\($0)") }
    }
}
