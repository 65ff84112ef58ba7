// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import Testing

/// An operator, configured so that it forwards the events of one source unchanged. The laws must hold through it.
///
/// Its name begins with the operator's signature, which `OperatorList` uses to find missing operators. A client in another
/// package compiles the lists with type parameters in place of `Int` and `TestError` (Tests/Checks/Unspecialised).
struct OperatorCase: Sendable, CustomTestStringConvertible {
    /// The changes that a case cannot avoid.
    struct Traits: OptionSet {
        let rawValue: Int

        /// If values of several signals wait, only the order within each signal is kept.
        static let reorders = Traits(rawValue: 1 << 0)
        /// Of values in quick succession, only one arrives. That is the operator's purpose.
        static let conflates = Traits(rawValue: 1 << 1)
        /// Values may be dropped if several threads send and pause. That is the operator's purpose.
        static let drops = Traits(rawValue: 1 << 2)
        /// All values arrive when the source has completed.
        static let sendsAtEnd = Traits(rawValue: 1 << 3)
        /// It accepts all values of a source without pausing it.
        static let absorbs = Traits(rawValue: 1 << 4)
        /// Its timer outlives the source.
        static let keepsTimer = Traits(rawValue: 1 << 5)
        /// It misses what its source sends inside `subscribe`, so it is no synchronous source.
        static let startsLate = Traits(rawValue: 1 << 6)
        /// It delivers later, in virtual time.
        static let deliversLater = Traits(rawValue: 1 << 7)
        /// It retains its source until it terminates.
        static let keepsSource = Traits(rawValue: 1 << 8)
    }

    let name: String
    let traits: Traits
    let make: @Sendable (Signal<Int, TestError>, any TimedScheduler) -> Signal<Int, TestError>

    /// Whether values keep their order also when they wait.
    var keepsOrder: Bool { !traits.contains(.reorders) }
    /// The operator's name and labels.
    var signature: String { String(name.prefix { $0 != " " }) }
    var testDescription: String { name }

    init(
        _ name: String,
        _ traits: Traits = [],
        _ make: @escaping @Sendable (Signal<Int, TestError>, any TimedScheduler) -> Signal<Int, TestError>
    ) {
        self.name = name
        self.traits = traits
        self.make = make
    }

    static let all =
        [none, chain] + transforming + filtering + combining + flattening + recovering + timing + sharing + commands

    /// The cases without any of these traits.
    static func without(_ traits: Traits) -> [OperatorCase] { all.filter { $0.traits.isDisjoint(with: traits) } }
    /// The cases with all of these traits.
    static func with(_ traits: Traits) -> [OperatorCase] { all.filter { $0.traits.isSuperset(of: traits) } }

    static let none = OperatorCase("none") { signal, _ in signal }

    static let chain = OperatorCase("chain") { signal, _ in
        signal.map { $0 }.filter { _ in true }.scan(0) { _, value in value }.take(.max)
            .take(until: Signal<Int, Never>.never).merge(with: .empty).flatMap { .just($0) }
            .flatMap(.concat) { .just($0) }.handleEvents(onValue: { _ in }).share()
            .observe(on: ImmediateScheduler.shared).subscribe(on: ImmediateScheduler.shared)
    }
}
