// SPDX-License-Identifier: MIT
import ReactiveSockets
import Synchronization

/// The connected clients.
final class Clients: Sendable {
    private let all = Mutex<[Int: Client]>([:])
    private let last = Atomic(0)

    /// The number of connected clients.
    var count: Int { all.withLock { $0.count } }

    /// The number of clients that have ever connected.
    var total: Int { last.load(ordering: .relaxed) }

    /// All clients, the oldest first.
    var list: [Client] { all.withLock { Array($0.values) }.sorted { $0.id < $1.id } }

    func add(_ connection: Connection, to service: Service) -> Client {
        let client = Client(last.add(1, ordering: .relaxed).newValue, connection, service)
        all.withLock { $0[client.id] = client }
        return client
    }

    func remove(_ client: Client) {
        all.withLock { $0[client.id] = nil }
    }
}
