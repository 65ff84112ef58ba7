// SPDX-License-Identifier: MIT
/// One promise of the rule book (Docs/Contract.md), and a check of it.
///
/// Rules are values, so a list of them can be the arguments of a parameterized test. Each check runs in its own
/// process, so its changes to process signals, limits and the main thread affect no other check.
public struct Rule: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The obligation of a loop to keep a rule.
    public enum Level: String, Sendable {
        /// Every loop must keep the rule.
        case required
        /// A loop may break the rule if its description says so.
        case optional
        /// Every loop must keep the rule, but violations are rare. So the check runs many rounds, most of them only in
        /// a long run (`make conformance-long`).
        case stochastic
    }

    /// The thread on which a check runs in its process.
    package enum Place: Sendable {
        /// A separate thread.
        case thread
        /// The main thread, which has no other use.
        case mainThread
    }

    /// The id of the rule: the letters of the group, and a number. The book, messages and tests use it.
    public let id: String
    /// The promise in one sentence, as in the book.
    public let statement: String
    /// The obligation of a loop to keep the rule.
    public let level: Level
    /// The capabilities that the rule needs. The rule is skipped on a loop that lacks one of them.
    public let needs: Set<Capability>

    package let place: Place
    /// The time limit of the check, before it is multiplied by the time scale.
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

    /// Returns whether two rules have the same id. An id is unique in the book.
    public static func == (lhs: Rule, rhs: Rule) -> Bool { lhs.id == rhs.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public var description: String { "\(id): \(statement)" }
}
