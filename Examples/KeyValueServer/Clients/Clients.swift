import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Who is connected.
final class Clients: Sendable {
    /// How many there are, to be read and observed.
    let count = Property(0)
    private let all = Mutex<[Int: Client]>([:])
    private let last = Atomic(0)

    /// How many there have ever been.
    var total: Int { last.load(ordering: .relaxed) }

    /// Everybody, the oldest first.
    var list: [Client] { all.withLock { Array($0.values) }.sorted { $0.id < $1.id } }

    func add(_ connection: Connection, to service: Service) -> Client {
        let client = Client(last.add(1, ordering: .relaxed).newValue, connection, service)
        let now = all.withLock { all in
            all[client.id] = client
            return all.count
        }
        count.value = now
        return client
    }

    func remove(_ client: Client) {
        let now = all.withLock { all in
            all[client.id] = nil
            return all.count
        }
        count.value = now
    }
}
