// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// A message on the wire: a length of four bytes, a kind, the number of the request, and a payload.
struct Message: Sendable {
    enum Kind: UInt8 {
        case request = 1
        case reply = 2
        case refusal = 3
    }

    static let framing = Framing.lengthPrefix(bytes: 4)
    static let headerLength = 5
    /// The maximum length of a payload.
    static let payloadLimit = 1024 * 1024

    let kind: Kind
    let number: UInt32
    let payload: Bytes

    init(_ kind: Kind, _ number: UInt32, _ payload: Bytes) {
        (self.kind, self.number, self.payload) = (kind, number, payload)
    }

    /// Parses a frame of the peer, which may contain anything.
    init(parsing frame: Bytes) throws(SocketError) {
        guard let kind = frame.first.flatMap(Kind.init), let number = frame.integer(at: 1, as: UInt32.self) else {
            throw SocketError(.malformed, "a message begins with its kind, 1 to 3, and a number of four bytes")
        }
        self.init(kind, number, Bytes(frame.dropFirst(Self.headerLength)))
    }

    /// The bytes on the wire.
    ///
    /// - Throws: `frameTooLong` if the payload exceeds the limit.
    func encoded() throws(SocketError) -> Bytes {
        guard payload.count <= Self.payloadLimit else {
            throw SocketError(.frameTooLong, "a payload has at most \(Self.payloadLimit) bytes")
        }
        return try Self.framing.encode(Bytes(joining: [Bytes(kind.rawValue), Bytes(number), payload]))
    }
}

extension Connection {
    /// The messages of the peer.
    var messages: Signal<Message, SocketError> {
        received.framed(by: Message.framing, limit: Message.headerLength + Message.payloadLimit)
            .attemptMap { frame throws(SocketError) in try Message(parsing: frame) }
    }
}
