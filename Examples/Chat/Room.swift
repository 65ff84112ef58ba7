// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// The members of a room in this process, and one reader of the stream for the members that are up to date.
    ///
    /// A room stores no lines. A member that is behind has its own reader. That reader is paused while the member's
    /// connection is paused.
    final class Room: Sendable {
        /// The number of lines that the stream keeps for a room.
        static let history = 5000

        private struct State {
            var members: [ObjectIdentifier: Member] = [:]
            /// The number of the last line that the room's reader has delivered, or 0 before the first line.
            var newest = 0
        }

        let name: String
        private let client: NATSClient
        private let state = Box(State())
        /// The room's reader.
        private let reading = SignalSubscription()
        private let closed: @Sendable () -> Void

        /// Creates a room. The room calls `closed` when its last member has left.
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
            // This also deletes the reader's consumer on the NATS server.
            reading.dispose()
            closed()
        }

        /// The lines of this room in the stream.
        func lines(from start: StreamStart) -> Signal<JetStreamMessage, NATSError> {
            client.jetStream.read("CHAT", from: start, subject: "chat.room.\(name)", batch: Limits.linesAhead)
        }

        func line(_ message: JetStreamMessage) -> Bytes {
            Bytes("MSG \(name) \(message.sequence) \(String(message.payload))\n")
        }
    }
#endif
