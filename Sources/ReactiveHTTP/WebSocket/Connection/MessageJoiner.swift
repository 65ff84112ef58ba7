// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// The sink of fragments that sends their messages.
    final class MessageJoiner: SinkTarget {
        private let messages: Sink<WebSocketMessage, WebSocketError>
        /// The bytes of an incomplete message.
        @safe @exclusivity(unchecked)
        private var bytes: [UInt8] = []

        init(_ messages: Sink<WebSocketMessage, WebSocketError>) { self.messages = messages }

        func receive(_ fragment: WebSocketFragment, _ sink: TargetSink<MessageJoiner>) {
            if let message = add(fragment) { messages.receive(message) }
        }

        func receive(termination: Termination<WebSocketError>, _ sink: TargetSink<MessageJoiner>) {
            messages.receive(termination: termination)
        }

        /// Adds a fragment. Returns the message if it is complete.
        ///
        /// The bytes are copied: a peer that sends a message in frames of one byte must not make each of them an object.
        private func add(_ fragment: WebSocketFragment) -> WebSocketMessage? {
            if fragment.isFirst, fragment.isLast { return Self.message(fragment.kind, fragment.bytes) }
            if fragment.isFirst { bytes = [] }
            bytes.append(contentsOf: fragment.bytes)
            guard fragment.isLast else { return nil }
            let message = Self.message(fragment.kind, bytes)
            bytes = []
            return message
        }

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
