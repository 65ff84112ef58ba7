// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The parts of the server: a store on one loop, and clients on any loop.
///
/// If a client's connection is on the store's loop, its requests are answered in the turn in which they arrive. On
/// another loop, the requests of a chunk hop to the store's loop together, and their replies hop back, in order. Both
/// hops are bounded, so a slow peer or a busy store pauses the reader.
final class Service: Sendable {
    /// The store's loop.
    let home: any LoopScheduler
    let settings: Settings
    let store: Store
    let channels = Channels()
    let clients = Clients()
    let monitors = Monitors()
    let rates: RequestRates?
    /// Becomes true in `close()`.
    let isClosing = Property(false)
    let began: LoopInstant
    let executed = Atomic(0)

    let commands: CommandTable

    init(on home: any LoopScheduler, _ settings: Settings) {
        self.home = home
        self.settings = settings
        store = Store(on: home)
        rates = settings.requestRate.map { RequestRates($0, on: home) }
        began = home.now
        commands = CommandTable.all(store, channels)
    }

    /// Answers the requests that have arrived, then ends all connections. A second call has no effect.
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

    /// Executes a request's command, and appends the reply or the error to the client's answers.
    func execute(_ request: Request) {
        let answers = request.client.answers
        executed.add(1, ordering: .relaxed)
        guard let known = commands[request.name] else {
            if request.isOfHTTP { return request.client.leaveWithoutAnswers() }
            return answers.refuse(.unknownCommand(request))
        }
        let name: String
        do throws(CommandFailure) {
            name = try known.check(request)
            if let rates, !known.traits.isDisjoint(with: [.keys, .replicated]), !rates.admit(request.client) {
                throw .busy
            }
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
