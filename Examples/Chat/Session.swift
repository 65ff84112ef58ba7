// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// One client. The session answers the client's lines in order, and sends the lines of its rooms between the
    /// replies.
    ///
    /// The session sends everything through one signal. If the peer does not read, the connection pauses that signal.
    /// The pause also stops the replies, the readers of the rooms, and the reading of the client's lines.
    final class Session: Sendable {
        private let rooms: Rooms
        private let members = Box<[String: Member]>([:])
        private let named = Box("somebody")
        /// The replies, and the lines of each room.
        private let outputs = Subject<Signal<Bytes, SocketError>, SocketError>()

        init(_ rooms: Rooms) { self.rooms = rooms }

        /// Serves the client until it leaves. Then removes it from its rooms.
        func serve(_ connection: Connection) -> Signal<Never, SocketError> {
            connection.ended.subscribe(onTermination: { [self] _ in leaveAll() })
            let lines = connection.received.framed(by: .newline, limit: Limits.line)
            let replies = lines.flatMap(.concat) { [self] in answer($0) }
                .handleEvents(onTermination: { [self] _ in
                    leaveAll()
                    outputs.complete()
                })
            let sent = connection.send(from: outputs.signal.flatMap { $0 })
            outputs.send(replies)
            return sent
        }

        private func leaveAll() {
            let left = members.update { members in
                defer { members = [:] }
                return Array(members.values)
            }
            for member in left { member.leave() }
        }

        private func answer(_ bytes: Bytes) -> Signal<Bytes, SocketError> {
            guard let line = String(validating: bytes, as: UTF8.self) else { return .just("ERROR not UTF-8\n") }
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            switch (words.first ?? "", words.count) {
            case ("NAME", 2): return checked(words[1]) { name(words[1]) }
            case ("JOIN", 2): return checked(words[1]) { join(words[1], after: 0) }
            case ("RESUME", 3):
                guard let last = Int(words[2]), last >= 0, last < .max else {
                    return .just("ERROR not a line number\n")
                }
                return checked(words[1]) { join(words[1], after: last) }
            case ("LEAVE", 2): return checked(words[1]) { leave(words[1]) }
            case ("SAY", 4): return checked(words[1], words[2]) { say(words[3], id: words[2], in: words[1]) }
            case ("WHO", 2):
                return checked(words[1]) {
                    Self.replies(rooms.who(words[1]).map { "HERE \(words[1]) \($0.joined(separator: " "))\n" })
                }
            default: return .just("ERROR not a command\n")
            }
        }

        /// Checks names before anything is sent to NATS.
        private func checked(_ names: String..., then answer: () -> Signal<Bytes, SocketError>) -> Signal<
            Bytes, SocketError
        > {
            if names.allSatisfy(Limits.isName) { return answer() }
            return .just(Bytes("ERROR a name has 1 to \(Limits.name) letters, digits, - and _\n"))
        }

        private func name(_ name: String) -> Signal<Bytes, SocketError> {
            named.value = name
            return .just("OK\n")
        }

        private func join(_ name: String, after last: Int) -> Signal<Bytes, SocketError> {
            let earlier = members.value[name]
            if earlier == nil, members.value.count >= Limits.roomsPerClient {
                return .just(Bytes("ERROR too many rooms: leave one of \(Limits.roomsPerClient) first\n"))
            }
            guard let member = rooms.enter(name, named, after: last) else {
                return .just(Bytes("ERROR too many rooms: this process has \(Limits.rooms)\n"))
            }
            members.update { $0[name] = member }
            // The client may have joined this room before. Replace that membership.
            earlier?.leave()
            // The reply is part of the signal of the lines, so it precedes them.
            outputs.send(member.lines.prefix(value: "OK\n"))
            return rooms.settled()
        }

        private func leave(_ name: String) -> Signal<Bytes, SocketError> {
            members.update { $0.removeValue(forKey: name) }?.leave()
            return .just("OK\n")
        }

        private func say(_ text: String, id: String, in room: String) -> Signal<Bytes, SocketError> {
            let said = rooms.say(text, by: named.value, id: id, in: room)
            return Self.replies(said.map { "SAID \(id) \($0)\n" })
        }

        private static func replies(_ signal: Signal<String, NATSError>) -> Signal<Bytes, SocketError> {
            signal.map { Bytes($0) }.flatMapError { .just(Bytes("ERROR \($0)\n")) }
        }
    }
#endif
