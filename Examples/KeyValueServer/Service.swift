import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// What the server is made of: a store on one loop, and clients on any.
///
/// A client on the store's loop is answered where its bytes arrive, in one go. Those of other loops send their batches of requests
/// over, and get their replies back, in order: a hop each way for all that came in one chunk, bounded, so that a slow peer or a busy
/// store holds the reader. With one loop there is no hop.
final class Service: Sendable {
    /// The store's loop.
    let home: any LoopScheduler
    let settings: Settings
    let store: Store
    let channels = Channels()
    let clients = Clients()
    let monitors = Monitors()
    /// Becomes true when the server closes: requests that have arrived are answered, and all connections end.
    let isClosing = Property(false)
    let began: LoopInstant
    let executed = Atomic(0)

    let commands: CommandTable

    init(on home: any LoopScheduler, _ settings: Settings) {
        self.home = home
        self.settings = settings
        store = Store(on: home)
        began = home.now
        commands = CommandTable.all(store, channels)
    }

    /// Closes the service: answers requests that have arrived, and ends all connections. A second call does nothing.
    func close() {
        if !isClosing.value { isClosing.value = true }
    }

    /// Serves one connection.
    func serve(_ connection: Connection) -> Signal<Never, SocketError> {
        let client = clients.add(connection, to: self)
        let requests = connection.received.scanMap(into: RequestParser(settings.limits)) { $0.read($1) }
        guard connection.loop !== home else {
            return connection.send(from: client.output(answering: requests).buffers { client.outbox.arrived($0) })
        }
        let output = client.output(answering: requests.observe(on: home, limit: 2))
        return connection.send(
            from: output.observe(on: connection.loop, limit: 64).buffers { client.outbox.arrived($0) }
        )
    }

    /// Answers one request: it goes to its command, and the reply to the client's answers.
    func execute(_ request: Request) {
        let answers = request.client.answers
        executed.add(1, ordering: .relaxed)
        guard let known = commands[request.name] else { return answers.refuse(.unknownCommand(request)) }
        let name: String
        do throws(CommandFailure) {
            name = try known.check(request)
            if request.client.isSubscribed, !known.traits.contains(.whileSubscribed) { throw .subscribed(name) }
        } catch {
            return answers.refuse(error)
        }
        if monitors.isWatching, request.client.isMonitor, !known.traits.isDisjoint(with: [.keys, .replicated]) {
            return answers.refuse(.keyspaceClosed)
        }
        known.command.execute(request, into: answers)
        if monitors.isWatching, !known.traits.contains(.unseen), name != "client|list" { monitors.show(request) }
    }
}
