#if NATS
    import ReactiveNATS
    import ReactiveSockets

    /// A room as one process sees it: what was said, read from the stream, and who of this process is in it.
    final class Room: Sendable {
        /// How many lines are kept, here and in the stream.
        static let history = 5000
        /// How many lines a client may be behind; then it is let go of, and resumes where it was.
        static let patience = 20_000

        private struct Member {
            let session: Session
            var last: Int
            var behind = 0
        }

        private struct State {
            var lines: [(sequence: Int, line: Bytes)] = []
            var members: [ObjectIdentifier: Member] = [:]
        }

        let name: String
        private let state = Box(State())

        init(_ name: String) { self.name = name }

        var names: [String] { state.value.members.values.map(\.session.name) }

        /// Sends a line to everybody here that has not got it.
        func add(_ message: JetStreamMessage) {
            let line = Bytes("MSG \(name) \(message.sequence) \(String(message.payload))\n")
            let sessions = state.update { state -> [(Session, isLost: Bool)] in
                state.lines.append((message.sequence, line))
                if state.lines.count > Self.history * 2 { state.lines.removeFirst(Self.history) }
                return state.members.keys.compactMap { key in
                    guard var member = state.members[key], member.last < message.sequence else { return nil }
                    member.last = message.sequence
                    member.behind = member.session.isWritable ? 0 : member.behind + 1
                    state.members[key] = member
                    return (member.session, member.behind > Self.patience)
                }
            }
            for (session, isLost) in sessions { if isLost { session.abort() } else { session.send(line) } }
        }

        /// Lets somebody in, who gets what was said after `last`, and what is said from now on.
        func join(_ session: Session, after last: Int) {
            let missed = state.update { state in
                let newest = max(last, state.lines.last?.sequence ?? 0)
                state.members[ObjectIdentifier(session)] = Member(session: session, last: newest)
                return state.lines.filter { $0.sequence > last }.map(\.line)
            }
            if !missed.isEmpty { session.send(Bytes(joining: missed)) }
        }

        func leave(_ session: Session) {
            state.update { _ = $0.members.removeValue(forKey: ObjectIdentifier(session)) }
        }
    }
#endif
