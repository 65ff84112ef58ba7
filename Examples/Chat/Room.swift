#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// A room as one process sees it: its members here, and one reader of the stream for those who are up to date.
    ///
    /// It keeps no lines. A member that is behind has a reader of its own, which waits while the member's connection is full.
    final class Room: Sendable {
        /// How many lines the stream keeps.
        static let history = 5000

        private struct State {
            var members: [ObjectIdentifier: Member] = [:]
            /// The number of the last line that the room's reader has delivered; 0 before the first.
            var newest = 0
        }

        let name: String
        private let client: NATSClient
        private let state = Box(State())
        /// The room's reader.
        private let reading = SignalSubscription()
        private let closed: @Sendable () -> Void

        /// Opens the room; `closed` is called when its last member has left.
        init(_ name: String, _ client: NATSClient, closed: @escaping @Sendable () -> Void) {
            self.name = name
            self.client = client
            self.closed = closed
        }

        var names: [String] { state.value.members.values.map(\.name) }
        var newest: Int { state.value.newest }

        func enter(_ member: Member) {
            let isFirst = state.update { state in
                state.members[ObjectIdentifier(member)] = member
                return state.members.count == 1
            }
            guard isFirst else { return }
            lines(from: .new).subscribe(
                in: reading,
                onValue: { [self] message in
                    let members = state.update { state in
                        state.newest = message.sequence
                        return Array(state.members.values)
                    }
                    let line = line(message)
                    for member in members { member.offer(line, message.sequence) }
                },
                onTermination: { [self] termination in
                    guard case .failed(let error) = termination else { return }
                    for member in state.value.members.values { member.fail(error) }
                }
            )
        }

        func leave(_ member: Member) {
            let isLast = state.update { state in
                state.members.removeValue(forKey: ObjectIdentifier(member)) != nil && state.members.isEmpty
            }
            guard isLast else { return }
            // With the reader its consumer is deleted at the NATS server.
            reading.dispose()
            closed()
        }

        /// The stream's lines of this room.
        func lines(from start: StreamStart) -> Signal<JetStreamMessage, NATSError> {
            client.jetStream.read("CHAT", from: start, subject: "chat.room.\(name)", batch: Limits.linesAhead)
        }

        func line(_ message: JetStreamMessage) -> Bytes {
            Bytes("MSG \(name) \(message.sequence) \(String(message.payload))\n")
        }
    }
#endif
