// SPDX-License-Identifier: MIT
/// Parses the PROXY header at the beginning of a stream. It keeps at most as many bytes as the peer has sent, and no more
/// than the limit.
package struct ProxyHeaderParser: Sendable {
    private enum State {
        /// The bytes so far are the beginning of version 1 or version 2.
        case begin
        case line
        case head
        case body(isLocal: Bool, ProxyFamily, count: Int)
        case complete
    }

    private var state = State.begin
    private var bytes: [UInt8] = []
    private let limit: Int

    private static let word = Array("PROXY ".utf8)
    private static let (carriageReturn, lineFeed): (UInt8, UInt8) = (13, 10)

    /// Creates a parser for one header.
    ///
    /// - Parameter limit: The maximum size of a header of version 2. It is at least 107.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Parses the next chunk of the stream. After a header or an error, it must not be called again.
    ///
    /// - Returns: The header if it is complete, and the number of bytes of `chunk` that belong to it. Without a header,
    ///   all bytes of `chunk` do.
    /// - Throws: The error of a stream that does not begin with a valid header.
    package mutating func parse(_ chunk: Bytes) throws(ProxyProtocolError) -> (header: ProxyHeader?, count: Int) {
        var index = chunk.startIndex
        while index < chunk.endIndex {
            if case .body(let isLocal, let family, let count) = state {
                let taken = min(count - bytes.count, chunk.endIndex - index)
                bytes.append(contentsOf: chunk[index..<index + taken])
                index += taken
                if bytes.count < count { break }
                return try (complete(isLocal, family), index - chunk.startIndex)
            }
            bytes.append(chunk[index])
            index += 1
            if let header = try step() { return (header, index - chunk.startIndex) }
        }
        return (nil, chunk.count)
    }

    /// Processes the last of `bytes`.
    private mutating func step() throws(ProxyProtocolError) -> ProxyHeader? {
        switch state {
        case .begin:
            let expected = bytes[0] == Self.word[0] ? Self.word : ProxyHeader.signature
            guard bytes.last == expected[bytes.count - 1] else {
                throw ProxyProtocolError(.missing, "the connection does not begin with a PROXY header")
            }
            if bytes.count == expected.count { state = expected == Self.word ? .line : .head }
        case .line: return try line()
        case .head where bytes.count == ProxyHeader.headCount: return try head()
        case .head, .body, .complete: break
        }
        return nil
    }

    private mutating func line() throws(ProxyProtocolError) -> ProxyHeader? {
        let followsReturn = bytes[bytes.count - 2] == Self.carriageReturn
        guard (bytes.last == Self.lineFeed) == followsReturn else {
            throw ProxyProtocolError(.malformed, "the PROXY line is malformed: it does not end with CRLF")
        }
        if followsReturn {
            state = .complete
            return try ProxyLine.header(Array(bytes.dropLast(2)))
        }
        guard bytes.count < ProxyLine.limit else {
            throw ProxyProtocolError(.tooLong, "the PROXY line has more than \(ProxyLine.limit) bytes")
        }
        return nil
    }

    private mutating func head() throws(ProxyProtocolError) -> ProxyHeader? {
        let (isLocal, family) = try ProxyHeader.kinds(bytes[12], bytes[13])
        let announced = Bytes(bytes).integer(at: 14, as: UInt16.self) ?? 0
        guard let body = WireInteger(announced).value(in: 0...limit - ProxyHeader.headCount) else {
            throw wrongCount(.tooLong, "\(announced)", "\(limit - 16) are allowed")
        }
        guard isLocal || body >= family.blockCount else {
            throw wrongCount(.malformed, "\(body)", "its addresses need \(family.blockCount)")
        }
        if body == 0 { return try complete(isLocal, family) }
        state = .body(isLocal: isLocal, family, count: ProxyHeader.headCount + body)
        return nil
    }

    private func wrongCount(_ code: ProxyProtocolError.Code, _ count: String, _ expected: String) -> ProxyProtocolError
    {
        ProxyProtocolError(code, "the PROXY header announces \(count) bytes after the first 16, and \(expected)")
    }

    private mutating func complete(_ isLocal: Bool, _ family: ProxyFamily) throws(ProxyProtocolError) -> ProxyHeader {
        state = .complete
        return try ProxyHeader.parse(Bytes(bytes), isLocal: isLocal, family)
    }
}
