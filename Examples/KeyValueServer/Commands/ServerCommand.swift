// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveSockets

/// A command of the protocol: its name, the form of its requests, and its work.
final class ServerCommand: Sendable {
    let name: String
    let key: CommandName
    /// The number of words of a request, including the name. A negative value -n means n or more, as in Redis.
    let arity: Int
    let traits: Traits
    private let subcommands: [CommandName: Subcommand]
    let command: Command<Request, Reply, CommandFailure>

    struct Traits: OptionSet, Sendable {
        let rawValue: Int

        /// The command reads or changes keys. A monitor may not use it.
        static let keys = Traits(rawValue: 1)
        /// The command uses no keys, but a monitor may not use it either.
        static let replicated = Traits(rawValue: 8)
        /// A client with subscriptions may use the command.
        static let whileSubscribed = Traits(rawValue: 2)
        /// The command is not shown to monitors.
        static let unseen = Traits(rawValue: 4)
    }

    /// The second word of a command such as `CLIENT LIST`.
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

    /// Checks the form of a request. Returns the full name of its command: `get`, `client|list`.
    ///
    /// - Throws: The error of Redis for a wrong number of words or an unknown subcommand.
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
