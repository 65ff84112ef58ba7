// SPDX-License-Identifier: MIT
/// A message between two processes that hand sockets over: 8 bytes, and a list of names if it offers sockets.
///
/// | Bytes | Meaning |
/// |---|---|
/// | 0 to 3 | `RSHO` |
/// | 4 | the version, 1 |
/// | 5 | the kind |
/// | 6, 7 | the number of bytes that follow, in network byte order |
struct HandoverFrame {
    enum Kind: UInt8 {
        /// The next process asks for the sockets.
        case request = 1
        /// The old process passes the sockets. The bytes that follow are their names.
        case offer = 2
        /// The next process serves the sockets.
        case ready = 3
        /// The old process accepts no more peers.
        case released = 4
    }

    /// What a socket is for.
    enum Purpose: UInt8 {
        case service = 1
        /// The socket at which the next process hands over in turn.
        case handover = 2
    }

    typealias Name = (purpose: Purpose, name: String)

    static let headCount = 8
    /// The maximum number of sockets. One system call passes them.
    static let socketLimit = 64
    private static let start = Array("RSHO".utf8) + [1]
    private static let bodyLimit = socketLimit * 257

    let kind: Kind
    private(set) var body: [UInt8] = []

    init(_ kind: Kind) { self.kind = kind }

    /// Offers sockets. The caller has checked their names and their number.
    init(offering names: [Name]) {
        kind = .offer
        for (purpose, name) in names { body += [purpose.rawValue, UInt8(clamping: name.utf8.count)] + name.utf8 }
    }

    var encoded: [UInt8] {
        Self.start + [kind.rawValue] + Array(Bytes(UInt16(clamping: body.count))) + body
    }

    /// Parses a frame at the beginning of a stream. `nil` means that bytes are missing.
    ///
    /// - Throws: `malformed` if the stream does not begin with a frame of this version.
    static func parse(_ stream: [UInt8]) throws(SocketError) -> HandoverFrame? {
        let known = min(start.count, stream.count)
        guard stream[..<known] == start[..<known] else {
            throw malformed("the other process does not use version 1 of the protocol")
        }
        guard stream.count >= headCount else { return nil }
        guard let kind = Kind(rawValue: stream[5]) else { throw malformed("kind \(stream[5]) is unknown") }
        let announced = Bytes(stream[6..<headCount]).integer(at: 0, as: UInt16.self) ?? 0
        guard let count = WireInteger(announced).value(in: 0...(kind == .offer ? bodyLimit : 0)) else {
            throw malformed("a message announces \(announced) bytes")
        }
        guard stream.count >= headCount + count else { return nil }
        var frame = HandoverFrame(kind)
        frame.body = Array(stream[headCount..<headCount + count])
        return frame
    }

    /// The names of an offer.
    ///
    /// - Throws: `malformed` if the body is not a list of names.
    func names() throws(SocketError) -> [Name] {
        var names: [Name] = []
        var rest = body[...]
        while let purpose = rest.popFirst() {
            guard let known = Purpose(rawValue: purpose), let count = rest.popFirst(), rest.count >= count,
                InheritedSockets.isName(rest.prefix(Int(count)))
            else { throw Self.malformed("the list of names is invalid") }
            names.append((known, String(decoding: rest.prefix(Int(count)), as: UTF8.self)))
            rest.removeFirst(Int(count))
        }
        guard names.count <= Self.socketLimit else { throw Self.malformed("\(names.count) sockets are too many") }
        return names
    }

    static func malformed(_ reason: String) -> SocketError {
        SocketError(.malformed, "cannot hand sockets over: \(reason)")
    }
}
