// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    /// A client in a room. It receives each line after a given number, once and in order, at the speed of its
    /// connection.
    final class Member: Sendable {
        private enum Reading {
            /// The member's lines have no subscriber yet.
            case waiting
            /// The member has not received all lines of the stream, and has its own reader.
            case behind(Output, SignalSubscription)
            /// The member is up to date, and receives the lines of the room's reader.
            case live(Output)
            case left
        }

        private struct Output: Sendable {
            let emitter: Emitter<Bytes, SocketError>
            let subscription: SignalSubscription
        }

        private struct State {
            /// The number of the last line that the member has received.
            var last: Int
            var reading = Reading.waiting
        }

        private let room: Room
        private let named: Box<String>
        private let state: Box<State>

        init(_ room: Room, _ named: Box<String>, after last: Int) {
            self.room = room
            self.named = named
            state = Box(State(last: last))
        }

        var name: String { named.value }

        /// The lines, encoded for the client. The signal completes when the member leaves. It accepts one subscriber.
        var lines: Signal<Bytes, SocketError> {
            Signal { [self] emitter, subscription in
                guard case .waiting = state.value.reading else { return emitter.complete() }
                subscription.onDispose { [self] in leave() }
                follow(Output(emitter: emitter, subscription: subscription))
            }
        }

        /// Leaves the room. A second call has no effect.
        func leave() {
            let reading = state.update { state in
                defer { state.reading = .left }
                return state.reading
            }
            switch reading {
            case .waiting: break
            case .behind(let output, let reader):
                reader.dispose()
                output.emitter.complete()
            case .live(let output): output.emitter.complete()
            case .left: return
            }
            room.leave(self)
        }

        /// Handles a line of the room's reader. If the member's connection is paused, the member falls behind and
        /// creates its own reader.
        func offer(_ line: Bytes, _ sequence: Int) {
            let (reading, last) = state.update { ($0.reading, $0.last) }
            switch reading {
            case .live(let output) where last < sequence:
                if output.subscription.isPaused { return catchUp(output) }
                state.update { $0.last = sequence }
                output.emitter.send(line)
            case .behind(let output, let reader) where last >= sequence: becomeLive(output, reader)
            case .live, .behind, .waiting, .left: break
            }
        }

        /// Sends the error to the client, and leaves the room.
        func fail(_ error: NATSError) {
            switch state.value.reading {
            case .behind(let output, _), .live(let output):
                output.emitter.send(Bytes("ERROR reading room \(room.name): \(error)\n"))
            case .waiting, .left: break
            }
            leave()
        }

        private func follow(_ output: Output) {
            let newest = room.newest
            if newest > 0, state.value.last >= newest {
                state.update { $0.reading = .live(output) }
            } else {
                catchUp(output)
            }
        }

        private func catchUp(_ output: Output) {
            let reader = output.subscription.makeChild()
            let last = state.update { state in
                state.reading = .behind(output, reader)
                return state.last
            }
            room.lines(from: .sequence(last + 1)).subscribe(
                in: reader,
                onValue: { [self] message in take(message, output, reader) },
                onTermination: { [self] termination in
                    if case .failed(let error) = termination { fail(error) }
                }
            )
        }

        /// Handles a line of the member's own reader. The room's reader delivers every line after its newest one. So a
        /// member that has received the newest line no longer needs its own reader.
        private func take(_ message: JetStreamMessage, _ output: Output, _ reader: SignalSubscription) {
            state.update { $0.last = max($0.last, message.sequence) }
            output.emitter.send(room.line(message))
            let newest = room.newest
            if !reader.isDisposed, newest > 0, message.sequence >= newest { becomeLive(output, reader) }
        }

        private func becomeLive(_ output: Output, _ reader: SignalSubscription) {
            state.update { $0.reading = .live(output) }
            reader.dispose()
        }
    }
#endif
