import ReactiveCommands

/// A command that clients can give: what it is called, what a request for it looks like, and the work.
final class ServerCommand: Sendable {
    let name: String
    let key: CommandName
    /// How many words a request has, its name among them; below zero: at least so many. As Redis says it.
    let arity: Int
    let traits: Traits
    let command: Command<Request, Reply, CommandFailure>

    struct Traits: OptionSet, Sendable {
        let rawValue: Int

        /// It reads or changes keys: who monitors may not.
        static let keys = Traits(rawValue: 1)
        /// Subscribers may give it too.
        static let whileSubscribed = Traits(rawValue: 2)
        /// Monitors are not shown it.
        static let unseen = Traits(rawValue: 4)
    }

    init(
        _ name: String,
        _ key: CommandName,
        _ arity: Int,
        _ traits: Traits,
        _ command: Command<Request, Reply, CommandFailure>
    ) {
        self.name = name
        self.key = key
        self.arity = arity
        self.traits = traits
        self.command = command
    }

    func accepts(_ count: Int) -> Bool { arity < 0 ? count >= -arity : count == arity }
}
