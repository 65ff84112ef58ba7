import ReactiveCommands
import ReactiveSockets

/// A command that clients can give: what it is called, what a request for it looks like, and the work.
final class ServerCommand: Sendable {
    let name: String
    let key: CommandName
    /// How many words a request has, its name among them; below zero: at least so many. As Redis says it.
    let arity: Int
    let traits: Traits
    private let subcommands: [CommandName: Subcommand]
    let command: Command<Request, Reply, CommandFailure>

    struct Traits: OptionSet, Sendable {
        let rawValue: Int

        /// It reads or changes keys: a monitor may not use it.
        static let keys = Traits(rawValue: 1)
        /// A monitor may not use it, though it has nothing to do with keys.
        static let replicated = Traits(rawValue: 8)
        /// Subscribers may give it too.
        static let whileSubscribed = Traits(rawValue: 2)
        /// Monitors are not shown it.
        static let unseen = Traits(rawValue: 4)
    }

    /// A command of two words.
    private struct Subcommand {
        let name: String
        let arity: Int
    }

    init(
        _ name: String,
        _ key: CommandName,
        _ arity: Int,
        _ traits: Traits,
        _ subcommands: [String: Int],
        _ command: Command<Request, Reply, CommandFailure>
    ) {
        self.name = name
        self.key = key
        self.arity = arity
        self.traits = traits
        let all = subcommands.map { (CommandName(Bytes($0)), Subcommand(name: "\(name)|\($0)", arity: $1)) }
        self.subcommands = Dictionary(uniqueKeysWithValues: all)
        self.command = command
    }

    /// The whole name of what a request asks for: `get`, `client|list`.
    ///
    /// - Throws: what Redis answers where the number of words is wrong, or there is no such subcommand.
    @inline(__always)
    func check(_ request: Request) throws(CommandFailure) -> String {
        guard Self.accepts(request.count, arity) else { throw .wrongArgumentCount(name) }
        return subcommands.isEmpty || request.count == 1 ? name : try checkSubcommand(request)
    }

    private func checkSubcommand(_ request: Request) throws(CommandFailure) -> String {
        guard let subcommand = subcommands[CommandName(request[1])] else {
            throw .unknownSubcommand(request[1], of: name)
        }
        guard Self.accepts(request.count, subcommand.arity) else { throw .wrongArgumentCount(subcommand.name) }
        return subcommand.name
    }

    private static func accepts(_ count: Int, _ arity: Int) -> Bool { arity < 0 ? count >= -arity : count == arity }
}
