#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// One client: its lines are answered one after the other, and what is said in its rooms is sent in between.
    final class Session: Sendable {
        private let connection: Connection
        private let rooms: Rooms
        private let joined = Box<[String: Room]>([:])
        private let named = Box("somebody")

        init(_ connection: Connection, _ rooms: Rooms) {
            self.connection = connection
            self.rooms = rooms
        }

        var name: String { named.value }
        var isWritable: Bool { connection.isWritable.value }

        func send(_ line: Bytes) { connection.send(line) }

        func abort() { connection.abort() }

        /// Serves it until it goes; then it is in no room any more.
        func serve() -> Signal<Never, SocketError> {
            connection.ended.subscribe(onTermination: { [self] _ in
                for room in joined.value.values { room.leave(self) }
            })
            let lines = connection.received.framed(by: .newline, limit: 4096)
            return connection.send(from: lines.flatMap(.concat) { [self] in answer(String($0)) })
        }

        private func answer(_ line: String) -> Signal<Bytes, SocketError> {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            switch (words.first ?? "", words.count) {
            case ("NAME", 2):
                named.value = words[1]
                return .just("OK\n")
            case ("JOIN", 2) where Self.isName(words[1]): return join(words[1], after: 0)
            case ("RESUME", 3) where Self.isName(words[1]): return join(words[1], after: Int(words[2]) ?? 0)
            case ("LEAVE", 2):
                joined.update { $0.removeValue(forKey: words[1]) }?.leave(self)
                return .just("OK\n")
            case ("SAY", 4) where Self.isName(words[1]):
                let said = rooms.say(words[3], by: name, id: words[2], in: words[1])
                return Self.replies(said.map { "SAID \(words[2]) \($0)\n" })
            case ("WHO", 2) where Self.isName(words[1]):
                return Self.replies(rooms.who(words[1]).map { "HERE \(words[1]) \($0.joined(separator: " "))\n" })
            default: return .just("ERROR what is that\n")
            }
        }

        private func join(_ name: String, after last: Int) -> Signal<Bytes, SocketError> {
            // The reply first, as the lines come by the same way.
            send("OK\n")
            let room = rooms.room(name)
            joined.update { $0[name] = room }
            room.join(self, after: last)
            return .empty
        }

        /// A room's name is a part of a subject.
        private static func isName(_ name: String) -> Bool {
            name.utf8.allSatisfy { ($0 | 32 >= 97 && $0 | 32 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 45 }
        }

        private static func replies(_ signal: Signal<String, NATSError>) -> Signal<Bytes, SocketError> {
            signal.map { Bytes($0) }.flatMapError { .just(Bytes("ERROR \($0)\n")) }
        }
    }
#endif
