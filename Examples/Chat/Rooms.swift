// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// The rooms that clients of this process have joined. This object also answers the `WHO` questions of other
    /// processes.
    final class Rooms: Sendable {
        /// How long `who(_:)` collects the answers of other processes.
        private static let askingTime = Duration.milliseconds(200)

        let client: NATSClient
        private let rooms = Box<[String: Room]>([:])

        init(_ client: NATSClient) {
            self.client = client
            client.subscribe("chat.who.*").subscribe(
                onValue: { [rooms] question in
                    let room = question.subject.split(separator: ".").last.map(String.init) ?? ""
                    let names = rooms.value[room]?.names.prefix(Limits.names) ?? []
                    client.answer(question, with: Bytes(names.joined(separator: " ")))
                },
                onTermination: { termination in
                    if case .failed(let error) = termination { print("chat: no answers to other processes: \(error)") }
                }
            )
        }

        /// Adds a client to a room. The first member opens the room, and the last one closes it. Returns `nil` if too
        /// many rooms are open.
        func enter(_ name: String, _ named: Box<String>, after last: Int) -> Member? {
            guard let room = rooms.value[name] ?? open(name) else { return nil }
            let member = Member(room, named, after: last)
            room.enter(member)
            return member
        }

        private func open(_ name: String) -> Room? {
            guard rooms.value.count < Limits.rooms else { return nil }
            let room = Room(name, client) { [rooms] in rooms.update { $0[name] = nil } }
            rooms.update { $0[name] = room }
            return room
        }

        /// A signal that completes when NATS has received the requests of a join. The client's next line waits for it,
        /// so a client cannot join faster than NATS accepts requests.
        func settled() -> Signal<Bytes, SocketError> {
            client.flush().then(Signal<Bytes, NATSError>.empty).flatMapError { _ in .empty }
        }

        /// Publishes a line in a room. The signal sends the line's number.
        func say(_ text: String, by name: String, id: String, in room: String) -> Signal<Int, NATSError> {
            let message = NATSMessage(Bytes("\(name) \(text)"), to: "chat.room.\(room)")
            return client.jetStream.publish(message, id: "\(name)-\(id)", timeout: .seconds(30)).map(\.sequence)
        }

        /// The sorted names of the members of a room. They omit members of processes that do not answer within 200 ms.
        func who(_ room: String) -> Signal<[String], NATSError> {
            let inbox = "chat.here.\(UInt64.random(in: 0 ... .max))"
            let question = NATSMessage("", to: "chat.who.\(room)", reply: inbox)
            let answers = Signal<NATSMessage, NATSError> { [client] emitter, subscription in
                client.subscribe(inbox).subscribe(emitter, in: subscription)
                client.publish(question)
            }
            return answers.take(until: Signal<Void, Never>.timer(after: Self.askingTime, on: client.loop))
                .reduce([]) { $0 + String($1.payload).split(separator: " ").map(String.init) }
                .map { $0.sorted() }
        }
    }
#endif
