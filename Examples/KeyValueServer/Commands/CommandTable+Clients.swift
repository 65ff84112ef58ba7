// SPDX-License-Identifier: MIT
import ReactiveSockets

extension CommandTable {
    /// Adds the command `CLIENT`.
    mutating func addClients() {
        let subcommands = ["id": 2, "getname": 2, "setname": 3, "setinfo": 4, "info": 2, "list": -2]
        add("client", -2, [], subcommands: subcommands) { (request) throws(CommandFailure) in
            let client = request.client
            switch String(request[1]).lowercased() {
            case "id": return .integer(client.id)
            case "getname": return client.name.isEmpty ? .null : .bulk(client.name)
            case "setname":
                try client.setName(request[2])
                return .ok
            case "info": return .bulk(Bytes(client.description + "\n"))
            case "list":
                if request.count > 2 { throw .syntax }
                return .bulk(Bytes(client.service.clients.list.map { $0.description + "\n" }.joined()))
            // SETINFO names the client's library. The server ignores it.
            default: return .ok
            }
        }
    }
}
