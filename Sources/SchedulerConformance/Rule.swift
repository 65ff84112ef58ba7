/// One promise of the rule book (Docs/Contract.md), and a check that finds out whether a loop keeps it.
///
/// Rules are values: a list of them is the argument of a parameterised test, a column of a table, the work of a command.
/// A check runs in a process of its own, so what it does to process signals, limits and the main thread is over with it.
public struct Rule: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// What a loop that does not keep a rule loses.
    public enum Level: String, Sendable {
        /// Without it the loop is not one that programs can be moved to.
        case required
        /// A loop may do without, and says so.
        case optional
        /// Required too, but what breaks it is rare: the check takes many rounds, most of them only where a long run is asked
        /// for (`make conformance-long`).
        case stochastic
    }

    /// Where in its process a check runs.
    package enum Place: Sendable {
        /// On a thread of its own.
        case thread
        /// On the main thread, which nobody else uses.
        case mainThread
    }

    /// What it is called in the book, in messages and in tests: a letter for its group, and a number.
    public let id: String
    /// The promise in one sentence, the same as in the book.
    public let statement: String
    /// Whether every loop has to keep it.
    public let level: Level
    /// What a loop must have for the rule to mean anything; a loop that lacks one of them is not asked.
    public let needs: Set<Capability>

    package let place: Place
    /// How long the check may take, before the time scale.
    package let limit: Duration
    package let check: @Sendable (Check) throws -> Void

    package init(
        _ id: String,
        _ statement: String,
        _ level: Level = .required,
        needs: Set<Capability> = [],
        on place: Place = .thread,
        limit: Duration = .seconds(20),
        check: @escaping @Sendable (Check) throws -> Void
    ) {
        self.id = id
        self.statement = statement
        self.level = level
        self.needs = place == .mainThread ? needs.union([.mainThread]) : needs
        self.place = place
        self.limit = limit
        self.check = check
    }

    /// Two rules are equal when their ids are: there is one book.
    public static func == (lhs: Rule, rhs: Rule) -> Bool { lhs.id == rhs.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public var description: String { "\(id): \(statement)" }
}
