// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

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
