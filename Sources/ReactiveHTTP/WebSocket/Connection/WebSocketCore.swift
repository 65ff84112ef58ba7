// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A WebSocket on a connection: an operator that turns received bytes into messages, and messages into bytes for the
    /// peer. Only the connection's loop accesses it.
    ///
    /// It decodes until it finds data that no subscriber accepts. Then it keeps that fragment and pauses the connection.
    /// So control frames before the first message are answered even if nothing subscribes.
    ///
    /// There may be many idle ones. So large values that exist only at the end are in boxes.
    final class WebSocketCore: InputOwner, LoopSourceOwner {
        let connection: Connection
        let loop: any LoopScheduler
        let closeTime: Duration
        let isClient: Bool
        let encoder: FrameEncoder
        /// Compresses sent messages, if that has been negotiated.
        let compressor: MessageCompressor?
        /// Receives the bytes for the peer.
        let sink: Sink<Bytes, SocketError>
        /// The subscription of `sink`. The connection pauses it while the peer does not read.
        let output: SignalSubscription
        /// The subscription to the received bytes.
        let input = SignalSubscription()

        // Safe: the methods of these values call no other code, so accesses cannot overlap.
        @safe @exclusivity(unchecked)
        var state = ClosingState()
        @safe @exclusivity(unchecked)
        var reader: MessageReader
        /// The subscriber of the fragments. The messages are made of these.
        @safe @exclusivity(unchecked)
        var loopSource = LoopSource<WebSocketFragment, WebSocketError>()
        /// Received data that no subscriber accepts yet.
        @safe @exclusivity(unchecked)
        var waiting: WebSocketFragment?
        /// Whether the next fragment continues a message whose subscriber has been disposed.
        @safe @exclusivity(unchecked)
        var skipsMessage = false
        @safe @exclusivity(unchecked)
        var isInsideMessage = false
        /// The termination of the input, until it is its turn.
        @safe @exclusivity(unchecked)
        private var inputEnd: Boxed<Termination<SocketError>>?
        @safe @exclusivity(unchecked)
        private var isWorking = false
        @safe @exclusivity(unchecked)
        var holdsInput = false

        /// The payload of the pong that is sent when the peer reads again.
        var waitingPong: Bytes?
        var sources = WrittenSources<WebSocketError>()
        /// The subscription to the result of the service.
        var service: SignalSubscription?
        var endObservers: [EndObserver] = []
        /// How the WebSocket has ended.
        var end: Boxed<Result<WebSocketClose, WebSocketError>>?
        var closingTimer: (any Disposable)?
        var keepAliveTimer: (any Disposable)?
        /// Compares the number of received bytes once in each period of the pings.
        var silence = StallClock<Int, UInt16>()

        init(
            _ connection: Connection,
            _ configuration: WebSocketConfiguration,
            isClient: Bool,
            compression: DeflateAgreement?,
            _ sink: Sink<Bytes, SocketError>,
            _ output: SignalSubscription
        ) {
            self.connection = connection
            closeTime = configuration.closeTime
            self.isClient = isClient
            compressor = MessageCompressor(isClient ? compression?.client : compression?.server, configuration)
            self.sink = sink
            self.output = output
            loop = connection.loop
            encoder = FrameEncoder(masks: isClient)
            reader = MessageReader(
                expectsMask: !isClient,
                frameLimit: configuration.frameBytes,
                messageLimit: configuration.messageBytes,
                compression: isClient ? compression?.server : compression?.client
            )
        }

        /// Starts, after the subscription of the output. ``receive(from:)`` follows.
        func start(keepAlive: Duration?) {
            let own = UnsafeTransfer(self)
            output.onChange { change in
                let loop = own.value.loop
                switch change {
                case .resumed: loop.runOrExecute { own.value.outputResumed() }
                case .over where loop.isDisposed: own.value.abandon()
                case .over: loop.runOrExecute { own.value.outputEnded() }
                case .paused, .failuresMayPass: break
                }
            }
            // A receiver that is slow, or missing, must not hide that the peer has left.
            connection.answersPeer = true
            connection.draining.subscribe(onValue: { own.value.close(WebSocketClose(.goingAway)) })
            if let keepAlive { startKeepAlive(keepAlive) }
        }

        func receive(from received: Signal<Bytes, SocketError>) {
            if state.phase != .closed { received.attach(TargetSink(ReceivedTarget(self)), in: input) }
        }

        // MARK: Receiving

        func receive(_ chunk: Bytes) {
            if !state.decodes { return }
            reader.feed(chunk)
            work()
        }

        func receivedEnd(_ termination: Termination<SocketError>) {
            inputEnd = Boxed(termination)
            work()
        }

        /// Takes events until data is not accepted or more bytes are needed. A call from inside the loop does nothing,
        /// because the loop looks again after each event.
        func work() {
            if isWorking { return }
            isWorking = true
            while takeEvent() {}
            isWorking = false
            if state.phase != .closed { hold(waiting != nil && state.phase == .open) }
        }

        /// Returns false if something else must happen first.
        private func takeEvent() -> Bool {
            guard state.decodes else { return takeInputEnd() }
            if let fragment = waiting { return accept(fragment) }
            do throws(WebSocketError) {
                guard let event = try reader.next() else { return takeInputEnd() }
                switch event {
                case .fragment(let fragment): return accept(fragment)
                case .ping(let payload): sendPong(payload)
                case .pong: break
                case .close(let close): received(close)
                }
                return true
            } catch {
                fail(error)
                return false
            }
        }

        /// Delivers a fragment, or keeps it. Returns whether the next event may be taken.
        private func accept(_ fragment: WebSocketFragment) -> Bool {
            if state.phase != .open || skipsMessage && !fragment.isFirst {
                waiting = nil
                return true
            }
            guard acceptsValues else {
                waiting = fragment
                return false
            }
            // The peer may have left and the receiver may be slow, but this side makes progress.
            if waiting.take() != nil { connection.didDeliver() }
            skipsMessage = false
            isInsideMessage = !fragment.isLast
            deliver(fragment)
            return true
        }

        // MARK: The subscriber

        var alreadyReceiving: WebSocketError {
            WebSocketError(.alreadyReceiving, "the messages have a subscriber: they allow one")
        }

        func demandChanged() { work() }

        /// The rest of the subscriber's message is skipped.
        func subscriberLeft() {
            if isInsideMessage { skipsMessage = true }
            work()
        }

        private func takeInputEnd() -> Bool {
            guard let end = inputEnd.take()?.value else { return false }
            switch (end, state.received) {
            case (_, let close?) where state.phase == .handshakeDone: finish(.success(close))
            case (.completed, _):
                fail(WebSocketError(.incomplete, "\(peerName) ended its stream without a Close frame"))
            case (.failed(let error), _):
                fail(WebSocketError(.connection, "the connection with \(peerName) failed: \(error)", cause: error))
            }
            return false
        }

        // MARK: Output

        private func outputResumed() {
            guard output.acceptsValues else { return }
            if let payload = waitingPong.take() { sendPong(payload) }
            for pause in sources.takePauses() { pause.dispose() }
        }

        private func outputEnded() {
            let error = WebSocketError(.connection, "the connection with \(peerName) has ended")
            if let close = state.received { finish(.success(close)) } else { finish(.failure(error)) }
        }

        /// Ends the subscription to the received bytes.
        func endInput() {
            input.dispose()
            inputEnd = nil
            waiting = nil
        }

        var peerName: String { connection.remoteAddress?.description ?? "a peer without an address" }
    }

    /// A value in an object of its own.
    final class Boxed<Value> {
        let value: Value

        init(_ value: Value) { self.value = value }
    }
#endif
