// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// The subscriber of the messages or of the fragments of a WebSocket. Only the connection's loop uses it.
    enum MessageReceiver {
        /// There has been no subscriber, or it has been disposed.
        case none
        case messages(Sink<WebSocketMessage, WebSocketError>, SignalSubscription)
        case fragments(Sink<WebSocketFragment, WebSocketError>, SignalSubscription)
        case ended(Termination<WebSocketError>)

        var subscription: SignalSubscription? {
            switch self {
            case .messages(_, let subscription), .fragments(_, let subscription): subscription
            case .none, .ended: nil
            }
        }

        /// Whether a subscriber accepts values now.
        var acceptsValues: Bool { subscription?.acceptsValues == true }

        func end(_ termination: Termination<WebSocketError>) {
            switch self {
            case .messages(let sink, let subscription):
                if !subscription.isDisposed { sink.receive(termination: termination) }
            case .fragments(let sink, let subscription):
                if !subscription.isDisposed { sink.receive(termination: termination) }
            case .none, .ended: break
            }
        }
    }

    /// Joins the fragments of a message.
    struct MessageAssembly {
        private var bytes: [UInt8] = []

        /// Adds a fragment. Returns the message if it is complete.
        ///
        /// The bytes are copied: a peer that sends a message in frames of one byte must not make each of them an object.
        mutating func add(_ fragment: WebSocketFragment) -> WebSocketMessage? {
            if fragment.isFirst, fragment.isLast { return Self.message(fragment.kind, fragment.bytes) }
            if fragment.isFirst { bytes = [] }
            bytes.append(contentsOf: fragment.bytes)
            guard fragment.isLast else { return nil }
            let message = Self.message(fragment.kind, bytes)
            bytes = []
            return message
        }

        mutating func clear() { bytes = [] }

        /// The text has been validated.
        private static func message(_ kind: WebSocketFragment.Kind, _ bytes: some Collection<UInt8>) -> WebSocketMessage
        {
            switch kind {
            case .text: .text(String(decoding: bytes, as: UTF8.self))
            case .binary: .binary(bytes as? Bytes ?? Bytes(bytes))
            }
        }
    }
#endif
