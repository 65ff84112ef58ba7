// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The reason why a command failed, with the error message of Redis. The connection stays open.
struct CommandFailure: Error, Equatable {
    let text: Bytes

    init(_ text: Bytes) {
        self.text = text
    }

    static let syntax = CommandFailure("ERR syntax error")
    static let notAnInteger = CommandFailure("ERR value is not an integer or out of range")
    static let notAnInt32 = CommandFailure(
        "ERR value is out of range, value must between -2147483648 and 2147483647"
    )
    static let overflow = CommandFailure("ERR increment or decrement would overflow")
    static let decrementOverflow = CommandFailure("ERR decrement would overflow")
    static let wrongPassword = CommandFailure(
        "WRONGPASS invalid username-password pair or user is disabled."
    )
    static let busy = CommandFailure("BUSY this address sends too many requests, try again later")
    static let keyspaceClosed = CommandFailure("ERR Replica can't interact with the keyspace")

    static func wrongArgumentCount(_ command: String) -> CommandFailure {
        CommandFailure(Bytes("ERR wrong number of arguments for '\(command)' command"))
    }

    static func invalidExpireTime(_ command: String) -> CommandFailure {
        CommandFailure(Bytes("ERR invalid expire time in '\(command)' command"))
    }

    static func subscribed(_ command: String) -> CommandFailure {
        let allowed = "only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
        return CommandFailure(Bytes("ERR Can't execute '\(command)': \(allowed)"))
    }

    static func unknownSubcommand(_ name: Bytes, of command: String) -> CommandFailure {
        let help = Bytes("'. Try \(command.uppercased()) HELP.")
        return CommandFailure(Bytes(joining: ["ERR unknown subcommand '", name.upToNull.prefix(128).oneLine, help]))
    }

    static func unknownCommand(_ request: Request) -> CommandFailure {
        var text = Array("ERR unknown command '".utf8)
        text += request[0].upToNull.prefix(128).oneLine
        text += Array("', with args beginning with: ".utf8)
        let begin = text.count
        for word in request.words(from: 1) {
            let room = 128 - (text.count - begin)
            if room <= 0 { break }
            text.append(ASCII.apostrophe)
            text += word.prefix(room).upToNull.oneLine
            text += [ASCII.apostrophe, ASCII.space]
        }
        return CommandFailure(Bytes(text))
    }
}

extension Bytes {
    /// The bytes before the first NUL.
    var upToNull: Bytes { firstIndex(of: 0).map { self[startIndex..<$0] } ?? self }

    /// The bytes without line ends at their end.
    var withoutLineEnd: Bytes {
        let last = lastIndex { $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed }
        return self[startIndex..<(last.map { $0 + 1 } ?? startIndex)]
    }

    /// The bytes with each line end replaced by a space, because an error is one line.
    var oneLine: Bytes {
        Bytes(map { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed ? ASCII.space : $0 })
    }
}
