// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A connection of a server: an operator that turns the received bytes into the bytes of the responses. Only the
    /// connection's loop accesses it.
    ///
    /// A peer that sends without reading, and a service that does not read, cost one chunk.
    final class ServerConnection: ExchangeConnection {
        static var message: String { "response" }

        let settings: ServerSettings
        let connection: Connection
        let loop: any LoopScheduler
        let peer: HTTPPeer
        /// Receives the bytes for the peer.
        let sink: Sink<Bytes, SocketError>
        /// The subscription of `sink`. The connection pauses it while the peer does not read, and disposes it at its end.
        let output: SignalSubscription
        /// The subscription to the received bytes. A pause of `output` does not pause it: otherwise two peers of an upgraded
        /// connection that both send before they read would wait for each other.
        let input: SignalSubscription

        // Safe: the methods of these values call no other code, so accesses cannot overlap.
        @safe @exclusivity(unchecked)
        var state = ExchangeState()
        @safe @exclusivity(unchecked)
        var parser: MessageParser
        /// The current request.
        var framing = MessageFraming()
        var isHead = false
        /// The path of the current request, for failures.
        var path: String?
        /// The body of the current request, or the bytes for the protocol that uses the connection after an upgrade.
        var body: ReceivedBody?
        /// The number of unread bytes of the body that have been discarded after the response.
        var discarded = 0
        /// The subscription to the result of the service.
        var handling: SignalSubscription?
        /// The response body on its way.
        var sending: OutgoingBody?

        var isDraining = false
        private(set) var inputHasEnded = false
        private(set) var receivedCount = 0
        var patience: PatienceClock
        private var timer: (any Disposable)?
        /// The subscription to the beginning of a drain.
        private let draining = SignalSubscription()
        var isParsing = false
        /// Whether the connection is paused because the rest of a chunk waits.
        var holdsInput = false

        /// The bytes of the responses. Its subscription serves the connection.
        static func responses(on connection: Connection, _ settings: ServerSettings) -> Signal<Bytes, SocketError> {
            .starting { sink, output in
                if output.isDisposed { return }
                ServerConnection(connection, settings, sink, output).start()
            }
        }

        private init(
            _ connection: Connection,
            _ settings: ServerSettings,
            _ sink: Sink<Bytes, SocketError>,
            _ output: SignalSubscription
        ) {
            self.connection = connection
            self.settings = settings
            self.sink = sink
            self.output = output
            loop = connection.loop
            peer = HTTPPeer(address: connection.remoteAddress, localAddress: connection.localAddress)
            input = SignalSubscription()
            parser = MessageParser(.requests(scheme: settings.scheme), limits: settings.limits)
            patience = PatienceClock(head: settings.limits.headTime, idle: settings.limits.idleTime)
        }

        deinit {
            // A disposed loop ends no body.
            _ = body?.loopSource.takeSubscriber()
        }

        private func start() {
            let own = UnsafeTransfer(self)
            output.onChange { change in
                let loop = own.value.loop
                switch change {
                case .resumed: loop.runOrExecute { own.value.work() }
                case .over where loop.isDisposed: own.value.abandon()
                case .over: loop.runOrExecute { own.value.outputEnded() }
                case .paused, .failuresMayPass: break
                }
            }
            let period = patience.period
            let options = TimerOptions(keepsLoopAlive: false)
            timer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: options) {
                own.value.checkPatience()
            }
            connection.draining.subscribe(in: draining, onValue: { own.value.drain() })
            if state.isClosed { return }
            connection.answersPeer = true
            connection.received.attach(TargetSink(ReceivedTarget(self)), in: input)
        }

        // MARK: Receiving

        func receive(_ chunk: Bytes) {
            if state.isClosed { return }
            receivedCount += chunk.count
            if let upgraded, !isParsing, parser.unreadCount == 0, upgraded.acceptsValues {
                // The parser would only keep the chunk and return it.
                return upgraded.deliver(chunk)
            }
            parser.feed(chunk)
            work()
        }

        func receivedEnd(_ termination: Termination<SocketError>) {
            switch termination {
            case .completed:
                inputHasEnded = true
                work()
            case .failed(let error):
                close(HTTPError(.connection, "the connection with \(peerName) failed: \(error)", cause: error))
            }
        }

        func bodyChanged(_ body: ReceivedBody) {
            if body === self.body, body.isRead { sendContinue() }
            work()
        }

        func settle() {
            if state.response == .complete, !state.keepsAlive, body?.isRead != true {
                // Nothing needs the rest of the request. The close discards it.
                return finish()
            }
            if state.awaitsRequest, parser.isInsideHead { state.beginHead() }
            if inputHasEnded, awaitsClient { return leave() }
            if state.isIdle { releaseHandling() }
            connection.awaitsPeer = mayParse || upgraded != nil
        }

        var mayParse: Bool {
            if let upgraded { return upgraded.acceptsValues }
            switch state.request {
            case .idle, .head: return state.awaitsRequest && output.acceptsValues
            case .body:
                if let body, body.isRead { return body.acceptsValues }
                return state.response == .complete && state.keepsAlive
            case .awaitingContinue, .complete, .closed: return false
            }
        }

        func take(_ event: ParserEvent) {
            switch event {
            case .request(let request, let framing): begin(request, framing)
            case .body(let bytes):
                guard let body, body.isRead else { return discard(bytes.count) }
                connection.didDeliver()
                body.deliver(bytes)
            case .end(let trailers):
                // The state changes first, because the subscriber may cause the response.
                let isOver = state.endRequest()
                if let body, body.isRead { body.end(.completed, trailers: trailers) }
                if isOver { exchangeEnded() }
            case .response: break
            }
        }

        var upgraded: ReceivedBody? { state.response == .upgraded ? body : nil }

        func endInput() throws(HTTPError) {
            if let upgraded { return upgraded.end(.completed) }
            _ = try parser.finish()
            finish()
        }

        // MARK: Ending

        /// Releases what only requests need, because another protocol uses the connection. There may be many idle ones.
        func endServing() {
            endTimer()
            draining.dispose()
        }

        func endTimer() { timer.take()?.dispose() }

        /// Disposes another timer when the timer of the checks ends.
        func add(_ other: any Disposable) { timer = CompositeDisposable([timer, other].compactMap { $0 }) }

        /// Ends the stream after everything that has been sent. The server then closes the connection.
        func finish() {
            if state.isClosed { return }
            close(HTTPError(.closed, "this side has closed the connection with \(peerName)"))
            sink.receive(termination: .completed)
        }

        /// Reports a failure, and resets the connection, so that the peer notices that the response is incomplete.
        func reset(_ error: HTTPError) {
            report(error)
            if state.isClosed { return }
            close(error)
            let message = "the response to \(peerName) is incomplete: \(error.message)"
            sink.receive(termination: .failed(SocketError(.sourceFailed, message, cause: error)))
        }

        private func outputEnded() {
            close(HTTPError(.connection, "the connection with \(peerName) has ended"))
        }

        /// Releases everything without notifying the service, because the loop has been disposed.
        private func abandon() {
            if state.isClosed { return }
            state.close()
            endServing()
            input.dispose()
            // Disposed last, because a disposal may run user code (law 3).
            let (handling, sending, body) = (handling.take(), sending.take(), body.take())
            handling?.dispose()
            sending?.subscription.dispose()
            body?.abandonSubscriber()
        }

        /// Ends everything that depends on the connection. Later calls do nothing.
        private func close(_ error: @autoclosure () -> HTTPError) {
            if state.isClosed { return }
            state.close()
            endTimer()
            input.dispose()
            handling.take()?.dispose()
            sending.take()?.subscription.dispose()
            _ = parser.takeRest()
            body.take()?.end(.failed(error()))
        }

        var peerName: String { peer.description }
    }
#endif
