import ReactiveSockets

extension CommandTable {
    /// What clients say about themselves.
    mutating func addClients() {
        add("client", -2, []) { (request) throws(CommandFailure) in
            let client = request.client
            switch (String(request[1]).lowercased(), request.count) {
            case ("id", 2): return .integer(client.id)
            case ("getname", 2): return client.name.isEmpty ? .null : .bulk(client.name)
            case ("setname", 3):
                try client.setName(request[2])
                return .ok
            // What kind of client it is: a word that is taken, and not needed.
            case ("setinfo", 4): return .ok
            case ("info", 2): return .bulk(Bytes(client.description + "\n"))
            case ("list", 2...): return .bulk(Bytes(client.service.clients.list.map { $0.description + "\n" }.joined()))
            case (let name, _) where ["id", "getname", "setname", "setinfo", "info"].contains(name):
                throw .wrongArgumentCount("client|\(name)")
            default: throw .unknownSubcommand(request[1], of: "client")
            }
        }
    }
}
