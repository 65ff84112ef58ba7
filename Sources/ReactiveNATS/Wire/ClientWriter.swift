// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// Collects the operations of a client until they are sent together.
    struct ClientWriter {
        private(set) var bytes: [UInt8] = []

        /// Takes the collected bytes.
        mutating func takeAll() -> Bytes {
            defer { bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16) }
            return Bytes(bytes)
        }

        mutating func connect(_ json: JSONValue) { append("CONNECT ", json.text, "\r\n") }

        mutating func ping() { append("PING\r\n") }

        mutating func pong() { append("PONG\r\n") }

        mutating func subscribe(_ subject: String, _ queueGroup: String?, as number: Int) {
            append("SUB ", subject, " ")
            if let queueGroup { append(queueGroup, " ") }
            append("\(number)\r\n")
        }

        mutating func unsubscribe(_ number: Int) { append("UNSUB \(number)\r\n") }

        /// Publishes a message that has been validated.
        mutating func publish(_ message: NATSMessage) {
            let headerSize = message.headers.isEmpty ? 0 : HeaderBlock.size(of: message.headers)
            append(headerSize > 0 ? "HPUB " : "PUB ", message.subject, " ")
            if let reply = message.reply { append(reply, " ") }
            if headerSize > 0 { append("\(headerSize) ") }
            append("\(headerSize + message.payload.count)\r\n")
            if headerSize > 0 { HeaderBlock.append(message.headers, to: &bytes) }
            bytes += message.payload
            append("\r\n")
        }

        private mutating func append(_ texts: String...) { for text in texts { bytes += text.utf8 } }
    }
#endif
