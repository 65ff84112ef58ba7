// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// A connection of a server or of a client: it parses the messages of its peer, and sends the bodies of its own. Only its
    /// loop accesses it.
    ///
    /// It parses while the service or the caller, the subscriber of a body, and the peer accept the results.
    /// Otherwise it keeps the rest of the chunk, and pauses the connection.
    protocol ExchangeConnection: InputOwner, SendableMetatype {
        /// The name of this side's messages in errors: `request` or `response`.
        static var message: String { get }

        var loop: any LoopScheduler { get }
        var state: ExchangeState { get }
        var parser: MessageParser { get set }
        /// Whether the peer has ended its stream.
        var inputHasEnded: Bool { get }
        /// Whether the parsing loop runs. It is not entered again from the calls that it makes.
        var isParsing: Bool { get set }
        /// Whether the next event, or the next bytes after an upgrade, are accepted.
        var mayParse: Bool { get }
        /// The bytes for the protocol that uses the connection after an upgrade. `nil` before. A client has none while
        /// nothing reads them.
        var upgraded: ReceivedBody? { get }

        func take(_ event: ParserEvent) throws(HTTPError)
        /// Acts on the end of the peer's stream, behind all events.
        func endInput() throws(HTTPError)
        /// Acts on a violation of the protocol or a limit by the peer.
        func fail(_ error: HTTPError)
        /// Acts on what the events have changed. It may close the connection.
        func settle()

        /// Called when a received body has a subscriber, when that pauses or resumes, and when it has left.
        func bodyChanged(_ body: ReceivedBody)
        /// Called when a received body has been released that had no subscriber. A server retains its bodies, so it is never
        /// called there.
        func unreadBodyReleased()

        /// Sends the next bytes of a body.
        func send(_ bytes: Bytes, of body: OutgoingBody)
        /// Acts on the end of the source of a body.
        func end(_ body: OutgoingBody, _ termination: Termination<HTTPError>)
    }

    extension ExchangeConnection {
        /// The number of bytes of an unread body that are dropped to use the connection again. If more follow, it is closed.
        static var discardLimit: Int { 256 * 1024 }

        func unreadBodyReleased() {}

        /// Parses as far as possible. A call from inside the loop does nothing, because the loop looks again after each
        /// event. So depth costs no stack.
        func work() {
            if isParsing || state.isClosed { return }
            isParsing = true
            let needsBytes = parse()
            isParsing = false
            if state.isClosed { return }
            settle()
            if state.isClosed { return }
            // Without a rest of the chunk the connection is not paused, so that it notices when the peer leaves.
            hold(!needsBytes && parser.unreadCount > 0)
        }

        /// Takes events from the parser. Returns whether it needs bytes: otherwise something must happen first.
        private func parse() -> Bool {
            while mayParse {
                do throws(HTTPError) {
                    if state.response == .upgraded {
                        let rest = parser.takeRest()
                        if !rest.isEmpty {
                            upgraded?.deliver(rest)
                            continue
                        }
                    } else if let event = try parser.next() {
                        try take(event)
                        continue
                    }
                    if inputHasEnded, !state.isClosed { try endInput() }
                    return true
                } catch {
                    fail(error)
                    return false
                }
            }
            return false
        }
    }

    /// What receives the bytes of a connection: that of a server, of a client, or of a WebSocket.
    protocol InputOwner: AnyObject {
        /// The subscription to the received bytes.
        var input: SignalSubscription { get }
        /// Whether the connection is paused because received bytes wait.
        var holdsInput: Bool { get set }

        func receive(_ chunk: Bytes)
        func receivedEnd(_ termination: Termination<SocketError>)
    }

    extension InputOwner {
        /// Pauses the connection, or lets the next chunk arrive. Does nothing without a change.
        @inline(__always)
        func hold(_ holds: Bool) {
            if holds == holdsInput { return }
            // The value changes first, because the end of a pause may deliver bytes.
            holdsInput = holds
            if holds { input.addPause(.byQueue) } else { input.removePause(.byQueue) }
        }
    }

    /// The sink of the received bytes.
    struct ReceivedTarget<Owner: InputOwner>: SinkTarget, ~Copyable {
        private let owner: Owner

        init(_ owner: Owner) { self.owner = owner }

        func receive(_ chunk: Bytes, _: TargetSink<ReceivedTarget>) { owner.receive(chunk) }

        func receive(termination: Termination<SocketError>, _: TargetSink<ReceivedTarget>) {
            owner.receivedEnd(termination)
        }
    }
#endif
