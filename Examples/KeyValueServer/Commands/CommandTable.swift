import ReactiveCommands
import ReactiveSockets

/// Every command, by its name.
struct CommandTable: Sendable {
    private var commands: [CommandName: ServerCommand] = [:]

    subscript(name: CommandName) -> ServerCommand? { commands[name] }

    /// All of them, in alphabetical order.
    var list: [ServerCommand] { commands.values.sorted { $0.name < $1.name } }

    /// Adds a command whose work is a function.
    mutating func add(
        _ name: String,
        _ arity: Int,
        _ traits: ServerCommand.Traits = .keys,
        _ work: @escaping @Sendable (Request) throws(CommandFailure) -> Reply
    ) {
        let command = Command<Request, Reply, CommandFailure>(.concurrent(), trying: work)
        commands[CommandName(Bytes(name))] = ServerCommand(name: name, arity: arity, traits: traits, command: command)
    }
}
