#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// The rooms that somebody of this process is, or was, in. It answers other processes that ask who is here.
    final class Rooms: Sendable {
        /// How long it waits for the other processes to say who is there.
        private static let askingTime = Duration.milliseconds(200)

        let client: NATSClient
        private let rooms = Box<[String: Room]>([:])

        init(_ client: NATSClient) {
            self.client = client
            client.subscribe("chat.who.*").subscribe(onValue: { [rooms] question in
                let room = question.subject.split(separator: ".").last.map(String.init) ?? ""
                client.answer(question, with: Bytes(rooms.value[room]?.names.joined(separator: " ") ?? ""))
            })
        }

        /// The room, which is read from the stream from its beginning when somebody first asks for it.
        func room(_ name: String) -> Room {
            if let room = rooms.value[name] { return room }
            let room = Room(name)
            rooms.update { $0[name] = room }
            client.jetStream.read("CHAT", subject: "chat.room.\(name)").subscribe(
                onValue: { room.add($0) },
                // The next who joins begins anew.
                onTermination: { [rooms] _ in rooms.update { $0[name] = nil } }
            )
            return room
        }

        /// Says something in a room; the answer is its number.
        func say(_ text: String, by name: String, id: String, in room: String) -> Signal<Int, NATSError> {
            let message = NATSMessage(Bytes("\(name) \(text)"), to: "chat.room.\(room)")
            return client.jetStream.publish(message, id: "\(name)-\(id)", timeout: .seconds(30)).map(\.sequence)
        }

        /// Who is in a room, as far as the processes answer in time.
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
