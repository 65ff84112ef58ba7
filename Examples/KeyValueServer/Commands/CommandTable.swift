// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveSockets

/// All commands, by name.
///
/// All commands are known in advance, so a sparse hash table finds one in a few instructions. A dictionary also
/// protects against attackers who choose colliding keys. This table does not need that.
struct CommandTable: Sendable {
    private var slots: [ServerCommand?] = Array(repeating: nil, count: size)
    private static let size = 256

    subscript(name: CommandName) -> ServerCommand? {
        var slot = name.slot
        while let command = slots[slot & (Self.size - 1)] {
            if command.key == name { return command }
            slot += 1
        }
        return nil
    }

    /// All commands, in alphabetical order.
    var list: [ServerCommand] { slots.compactMap(\.self).sorted { $0.name < $1.name } }

    /// Adds a command whose work is a function.
    ///
    /// - Parameters:
    ///   - arity: The number of words, as in ``ServerCommand/arity``.
    ///   - subcommands: The valid second words, each with its number of words. If it is empty, any second word is
    ///     valid.
    mutating func add(
        _ name: String,
        _ arity: Int,
        _ traits: ServerCommand.Traits = .keys,
        subcommands: [String: Int] = [:],
        _ work: @escaping @Sendable (Request) throws(CommandFailure) -> Reply
    ) {
        let command = Command<Request, Reply, CommandFailure>(.concurrent(), trying: work)
        let key = CommandName(Bytes(name))
        var slot = key.slot
        while slots[slot & (Self.size - 1)] != nil { slot += 1 }
        slots[slot & (Self.size - 1)] = ServerCommand(name, key, arity, traits, subcommands, command)
    }
}
