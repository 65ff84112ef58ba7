import ReactiveSignals
import ReactiveSockets
import Synchronization

/// What is published for one client, with a bound: who does not read costs so many messages and no more.
///
/// While the connection holds more than its high watermark the messages' signal is paused, and the subject keeps them, as many as
/// the setting says. What is published is one run of bytes for all subscribers, so waiting costs a reference each.
final class Feed: Sendable {
    private let subject: Subject<Bytes, SocketError>
    private let connection: Connection
    private let settings: Settings
    private let waiting = Atomic(0)

    init(_ connection: Connection, _ settings: Settings) {
        self.connection = connection
        self.settings = settings
        subject = Subject(whilePaused: .dropOldest(settings.waitingMessages))
    }

    var messages: Signal<Bytes, SocketError> {
        guard settings.slowSubscribers == .disconnect else { return subject.signal }
        return subject.signal.map { [self] message in
            waiting.subtract(1, ordering: .relaxed)
            return message
        }
    }

    func send(_ message: Bytes) {
        if settings.slowSubscribers == .disconnect,
            waiting.add(1, ordering: .relaxed).newValue > settings.waitingMessages
        {
            return connection.abort()
        }
        subject.send(message)
    }

    func end() { subject.complete() }
}
