import ReactiveCore
import ReactiveSignals
import Testing

/// An operator, set up so that it changes nothing about one source: what the laws say must hold through it.
///
/// Its name begins with the operator's signature, by which `OperatorList` finds out what is missing here.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    /// What a case cannot help changing.
    struct Traits: OptionSet {
        let rawValue: Int

        /// Values of several signals keep their order only for each, where they are held back.
        static let reorders = Traits(rawValue: 1)
        /// Of values that come close together all but one get lost: that is what it is for.
        static let conflates = Traits(rawValue: 2)
        /// Values may get lost where several threads send and pause: that is what it is for too.
        static let drops = Traits(rawValue: 256)
        /// All values come when the source has completed.
        static let sendsAtEnd = Traits(rawValue: 4)
        /// It takes what a source sends without ever making it wait.
        static let absorbs = Traits(rawValue: 8)
        /// It has a timer that outlives the source.
        static let keepsTimer = Traits(rawValue: 16)
        /// It hears a source only after `subscribe` has returned: no synchronous source.
        static let startsLate = Traits(rawValue: 32)
        /// It delivers later, in virtual time.
        static let delivers = Traits(rawValue: 64)
        /// It keeps what it needs to go on, until it is over.
        static let keepsSource = Traits(rawValue: 128)
    }

    let name: String
    let traits: Traits
    let make: @Sendable (Signal<Int, TestError>, any TimedScheduler) -> Signal<Int, TestError>

    /// Whether values keep their order also where they are held back.
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

    /// Those without any of these traits.
    static func without(_ traits: Traits) -> [OperatorCase] { all.filter { $0.traits.isDisjoint(with: traits) } }
    /// Those with all of these traits.
    static func with(_ traits: Traits) -> [OperatorCase] { all.filter { $0.traits.isSuperset(of: traits) } }

    static let none = OperatorCase("none") { signal, _ in signal }

    static let chain = OperatorCase("chain") { signal, _ in
        signal.map { $0 }.filter { _ in true }.scan(0) { _, value in value }.take(.max)
            .take(until: Signal<Int, Never>.never).merge(with: .empty).flatMap { .just($0) }
            .flatMap(.concat) { .just($0) }.handleEvents(onValue: { _ in }).share()
            .observe(on: ImmediateScheduler.shared).subscribe(on: ImmediateScheduler.shared)
    }
}
