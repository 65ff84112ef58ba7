// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Receives the events of a connection. Every call is on the loop.
    protocol NATSConnectionOwner: AnyObject {
        /// The server has accepted the client.
        func connectionIsUp(_ connection: NATSConnection)
        func connection(_ connection: NATSConnection, hasReceived delivery: Delivery, for number: Int)
        /// The server has reported an error after it had accepted the client.
        func connection(_ connection: NATSConnection, reports error: NATSError)
        /// The server requires TLS, and the connection has none. It has ended.
        func connectionNeedsTLS(_ connection: NATSConnection)
        /// The bytes that waited for the server have been sent, or most of them.
        func connectionHasRoom(_ connection: NATSConnection)
        /// The connection has ended. Called once, unless the owner has ended it.
        func connection(_ connection: NATSConnection, hasEnded error: NATSError)
    }

    /// A connection to one server: the handshake, pings, and the bytes in both directions. It belongs to the client's loop.
    final class NATSConnection {
        /// How far the connection is. Each step has a time limit of its own.
        private enum Phase {
            case opening, greeting, proving, up, ended
        }

        /// Waiting bytes beyond which they are passed to the socket at once, and not at the end of the turn.
        private static let mostCollected = 1 << 16

        let address: ServerAddress
        private let makeSession: (@Sendable () -> any ConnectionTransformer)?
        private var phase = Phase.opening
        private var info = ServerInfo()
        private let loop: any LoopScheduler
        private let options: NATSOptions
        private let proof: ClientProof
        private weak var owner: (any NATSConnectionOwner)?

        private var connection: Connection?
        private let opening = SignalSubscription()
        private let reading = SignalSubscription()
        private var parser = ServerParser()
        private var writer = ClientWriter()
        private var isFlushing = false
        /// Whether the answer to a ping of the server has not been sent.
        private var isPongWaiting = false
        /// The number of bytes that the socket has not taken.
        private var unsent = 0
        private var timer: (any Disposable)?
        private var liveness = Liveness()
        /// The callbacks of the unanswered pings, oldest first.
        private var pongs = FIFO<() -> Void>()

        /// - Parameter keys: Their TLS sessions are used if there are any. The server must then offer TLS.
        init(
            to address: ServerAddress,
            _ loop: any LoopScheduler,
            _ options: NATSOptions,
            _ keys: ClientKeys,
            owner: any NATSConnectionOwner
        ) {
            self.address = address
            self.loop = loop
            self.options = options
            proof = keys.proof
            makeSession = keys.sessions(for: address.host)
            self.owner = owner
        }

        var isUp: Bool { phase == .up }

        // MARK: Connecting

        /// Looks up the server, and connects to it.
        func open(_ resolver: Resolver) {
            var settings = ConnectSettings(timeout: options.connectTimeout)
            if let makeSession { settings.transformer = { TLSUpgrade(makeSession()) } }
            let (this, port) = (UnsafeTransfer(Weak(self)), address.port)
            Connection.connect(toHost: address.host, port: port, loop: loop, resolver: resolver, settings: settings)
                .subscribe(
                    in: opening,
                    onValue: { this.value.object?.didOpen($0) },
                    onTermination: { termination in
                        if case .failed(let error) = termination { this.value.object?.end(.connecting(error)) }
                    }
                )
        }

        private func didOpen(_ connection: Connection) {
            if phase == .ended { return connection.abort() }
            self.connection = connection
            enter(.greeting)
            let this = UnsafeTransfer(Weak(self))
            connection.received.subscribe(
                in: reading,
                onValue: { this.value.object?.receive($0) },
                onTermination: { termination in
                    let error: NATSError =
                        switch termination {
                        case .completed: NATSError(.noServer, "the server has closed the connection")
                        case .failed(let error): .connecting(error)
                        }
                    this.value.object?.end(error)
                }
            )
        }

        private func enter(_ next: Phase) {
            phase = next
            timer?.dispose()
            let this = UnsafeTransfer(Weak(self))
            let handshakeTimeout = next == .proving && makeSession != nil ? options.handshakeTimeout : .zero
            // Instants stop at their maximum, while the sum of two durations may overflow.
            let deadline = loop.now + options.connectTimeout + handshakeTimeout
            let timerOptions = TimerOptions(keepsLoopAlive: next != .up)
            switch next {
            case .opening, .ended: timer = nil
            case .greeting, .proving:
                timer = loop.schedule(at: deadline, options: timerOptions) {
                    this.value.object?.end(NATSError(.timedOut, "the server does not answer in time"))
                }
            case .up:
                timer = loop.schedule(at: loop.now + pingInterval, options: timerOptions) { this.value.object?.check() }
            }
        }

        /// Answers the first `INFO`.
        private func greet() {
            if makeSession == nil, info.requiresTLS {
                let owner = owner
                close(isOrderly: false)
                owner?.connectionNeedsTLS(self)
                return
            }
            if makeSession != nil, !info.offersTLS {
                return end(NATSError(.insecure, "TLS is required, and the server offers none"))
            }
            do throws(NATSError) {
                var members = try proof.members(address.credentials, nonce: info.nonce)
                members["verbose"] = .bool(false)
                members["pedantic"] = .bool(false)
                members["lang"] = .string("swift")
                members["protocol"] = .integer(WireInteger(1))
                members["echo"] = .bool(options.receivesOwnMessages)
                members["headers"] = .bool(true)
                members["no_responders"] = .bool(info.hasHeaders)
                if let name = options.name { members["name"] = .string(name) }
                writer.connect(.object(members))
            } catch {
                return end(error)
            }
            enter(.proving)
            ping { [weak self] in self?.becomeUp() }
        }

        private func becomeUp() {
            guard phase == .proving else { return }
            enter(.up)
            owner?.connectionIsUp(self)
        }

        // MARK: Pings

        private var pingInterval: Duration { max(.milliseconds(1), options.pingInterval) }

        /// Sends a ping, or ends the connection to a server that has left.
        private func check() {
            guard phase == .up, let connection else { return }
            let acknowledged = connection.acknowledgedCount
            if let why = liveness.endInterval(sent: connection.sentCount, acknowledged: acknowledged) {
                return end(NATSError(.noServer, why))
            }
            enter(.up)
            if pongs.isEmpty { ping {} }
        }

        /// Sends a ping. `answered` is called when the server has answered it, and so has processed all that was sent before.
        func ping(_ answered: @escaping () -> Void) {
            writer.ping()
            pongs.append(answered)
            flushSoon()
        }

        // MARK: Receiving

        private func receive(_ bytes: Bytes) {
            liveness.hasReceived()
            parser.add(bytes)
            while phase != .ended {
                do throws(NATSError) {
                    guard let operation = try parser.next() else { return }
                    try handle(operation)
                } catch {
                    return end(error)
                }
            }
        }

        private func handle(_ operation: ServerOperation) throws(NATSError) {
            switch operation {
            case .info(let text):
                info = try ServerInfo(text)
                if phase == .greeting { greet() }
            case .ping:
                // One answer stands for several pings, so that a server which reads nothing cannot make the client collect them.
                if isPongWaiting { break }
                isPongWaiting = true
                writer.pong()
                flushSoon()
            case .pong:
                let answered = pongs.popFirst()
                liveness.hasAnswered(next: pongs.isEmpty ? nil : connection?.sentCount)
                answered?()
            case .error(let text):
                let error = NATSError.reported(text)
                switch phase {
                case .up: owner?.connection(self, reports: error)
                // Before TLS, anybody can send such a line.
                case .greeting: end(NATSError(.noServer, error.message))
                default: end(error)
                }
            case .ok: break
            case .message(let number, let delivery):
                if phase == .up { owner?.connection(self, hasReceived: delivery, for: number) }
            }
        }

        // MARK: Sending

        /// The error that prevents the publication of a message on this connection.
        func fault(of message: NATSMessage) -> NATSError? {
            let headerSize = message.headers.isEmpty ? 0 : HeaderBlock.size(of: message.headers)
            if headerSize > 0, !info.hasHeaders {
                return NATSError(.invalidArgument, "publishing to \(message.subject): the server supports no headers")
            }
            let size = headerSize + message.payload.count
            if size <= info.maximumPayload { return nil }
            let why = "publishing to \(message.subject): \(size) bytes, the server accepts \(info.maximumPayload)"
            return NATSError(.messageTooLarge, why)
        }

        /// The number of bytes that wait for the server.
        var waitingCount: Int { unsent + writer.bytes.count }

        /// Adds operations, which are sent at the end of the turn.
        func write(_ operations: (inout ClientWriter) -> Void) {
            operations(&writer)
            if writer.bytes.count > Self.mostCollected { flush() } else { flushSoon() }
        }

        private func flushSoon() {
            if isFlushing { return }
            isFlushing = true
            loop.execute { [this = UnsafeTransfer(Weak(self))] in this.value.object?.flush() }
        }

        private func flush() {
            isFlushing = false
            guard let connection, phase != .ended, !writer.bytes.isEmpty else { return }
            let bytes = writer.takeAll()
            let (count, hasPong, this) = (bytes.count, isPongWaiting, UnsafeTransfer(Weak(self)))
            unsent += count
            connection.send(bytes).subscribe(onTermination: { termination in
                guard case .completed = termination, let this = this.value.object else { return }
                this.unsent -= count
                if hasPong { this.isPongWaiting = false }
                this.owner?.connectionHasRoom(this)
            })
            if !pongs.isEmpty { liveness.hasPinged(at: connection.sentCount) }
        }

        // MARK: Ending

        /// Ends the connection with an error, which the owner receives.
        private func end(_ error: NATSError) {
            if phase == .ended { return }
            let owner = owner
            close(isOrderly: false)
            owner?.connection(self, hasEnded: error)
        }

        /// Ends the connection. The owner is not notified. With `isOrderly`, bytes that the socket has not taken are sent.
        func close(isOrderly: Bool) {
            if phase == .ended { return }
            enter(.ended)
            owner = nil
            let waiting = pongs.takeAll()
            opening.dispose()
            reading.dispose()
            if isOrderly { connection?.close() } else { connection?.abort() }
            connection = nil
            withExtendedLifetime(waiting) {}
        }
    }
#endif
