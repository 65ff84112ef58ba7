// SPDX-License-Identifier: MIT
import ReactiveSockets
import Synchronization

extension CommandTable {
    /// Adds the commands for the connection.
    mutating func addConnection() {
        add("ping", -1, .whileSubscribed) { (request) throws(CommandFailure) in
            guard request.count <= 2 else { throw .wrongArgumentCount("ping") }
            let word = request.count == 2 ? request[1] : nil
            if request.client.isSubscribed { return .array([.bulk("pong"), .bulk(word ?? Bytes())]) }
            return word.map(Reply.bulk) ?? .pong
        }
        add("echo", 2, []) { request in .bulk(request[1]) }
        add("quit", -1, [.whileSubscribed, .unseen]) { request in
            request.client.isLeaving.store(true, ordering: .relaxed)
            return .ok
        }
        add("reset", 1, .whileSubscribed) { request in
            request.client.reset()
            return .status("RESET")
        }
        add("select", 2, []) { (request) throws(CommandFailure) in
            let number = try request.integer(1)
            if Int32(exactly: number) == nil { throw .notAnInt32 }
            if number != 0 { throw CommandFailure("ERR DB index is out of range") }
            return .ok
        }
        add("hello", -1, []) { (request) throws(CommandFailure) in try Self.hello(request) }
    }

    /// Answers `HELLO`. RESP2 is the only supported version.
    private static func hello(_ request: Request) throws(CommandFailure) -> Reply {
        if request.count > 1 {
            guard let version = Decimal.parse(request[1]) else {
                throw CommandFailure("ERR Protocol version is not an integer or out of range")
            }
            if version != 2 { throw CommandFailure("NOPROTO unsupported protocol version") }
        }
        var index = 2
        while index < request.count {
            switch (request.option(index), request.count - index - 1) {
            case (CommandName("auth"), 2...):
                // The only user, `default`, has no password, so any password is valid.
                guard request[index + 1] == "default" else { throw .wrongPassword }
                index += 3
            case (CommandName("setname"), 1...):
                try request.client.setName(request[index + 1])
                index += 2
            default:
                let option = request[index].upToNull.oneLine
                throw CommandFailure(Bytes(joining: ["ERR Syntax error in HELLO option '", option, "'"]))
            }
        }
        return .array([
            .bulk("server"), .bulk("redis"), .bulk("version"), .bulk(ServerReport.version), .bulk("proto"), .integer(2),
            .bulk("id"), .integer(request.client.id), .bulk("mode"), .bulk("standalone"), .bulk("role"),
            .bulk("master"),
            .bulk("modules"), .array([]),
        ])
    }
}

extension Reply {
    fileprivate static let pong = Reply.status("PONG")
}
