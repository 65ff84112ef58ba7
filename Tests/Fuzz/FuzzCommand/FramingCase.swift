// SPDX-License-Identifier: MIT
import ReactiveSockets

/// One framing with its limit, and the simplest possible reference parser for its format.
struct FramingCase: CustomStringConvertible {
    enum Kind {
        case newline
        case delimiter(String)
        case prefix(width: Int, ByteOrder, includesItself: Bool)
        case netstring
        /// Lines of a head, an empty line, and as many bytes as the line `l: number` says.
        case contentLength
    }

    static let kinds: [Kind] =
        [
            .newline, .delimiter("\u{0}"), .delimiter("ab"), .delimiter("aab"), .delimiter("\r\n"), .netstring,
            .contentLength,
        ]
        + [1, 2, 4, 8].flatMap { width in
            [ByteOrder.bigEndian, .littleEndian].flatMap { order in
                [true, false].map { .prefix(width: width, order, includesItself: $0) }
            }
        }

    static var count: Int { kinds.count }

    let kind: Kind
    let limit: Int

    init(_ choice: UInt8, limit: UInt8) {
        kind = Self.kinds[Int(choice) % Self.count]
        self.limit = Int(limit)
    }

    var description: String { "\(kind), limit \(limit)" }

    var framing: (value: Framing, canEncode: Bool) {
        switch kind {
        case .newline: (.newline, true)
        case .delimiter(let text): (.delimiter(Bytes(text)), true)
        case .prefix(let width, let order, let includesItself):
            (.lengthPrefix(bytes: width, order, includesItself: includesItself), true)
        case .netstring: (Self.netstring, false)
        case .contentLength: (Self.contentLength, false)
        }
    }

    /// A frame with this payload, without checks.
    func frame(_ payload: [UInt8]) -> [UInt8] {
        switch kind {
        case .newline: return payload + [10]
        case .delimiter(let text): return payload + Array(text.utf8)
        case .netstring: return Array("\(payload.count):".utf8) + payload + [44]
        case .contentLength: return Array("G\r\nL: \(payload.count)\r\n\r\n".utf8) + payload
        case .prefix(let width, let order, let includesItself):
            let length = UInt64(payload.count + (includesItself ? width : 0))
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: length >> UInt64(8 * $0)) }
            return (order == .littleEndian ? bytes : bytes.reversed()) + payload
        }
    }

    private static let netstring = Framing { buffered throws(SocketError) in
        guard let header = try FramingCase.header(of: buffered) else { return .incomplete }
        return .frame(header: header.count, payload: header.length, trailer: ",")
    }

    private static let contentLength = Framing { buffered throws(SocketError) in
        guard let blank = buffered.firstRange(of: "\r\n\r\n") else { return .incomplete }
        var length = WireInteger(0)
        for line in buffered[..<blank.lowerBound].split(separator: "\r\n") {
            let field = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard field.count == 2, field[0].equalsIgnoringASCIICase("l") else { continue }
            guard let number = WireInteger(decimal: field[1].trimmingASCIIWhitespace()) else {
                throw SocketError(.malformed, "no length")
            }
            length = number
        }
        return .frame(header: blank.upperBound, payload: length, includesHeader: true)
    }

    /// The header of a netstring: the number of its bytes, and the length that it contains. nil if it is incomplete.
    private static func header(
        of buffered: some Collection<UInt8>
    ) throws(SocketError) -> (count: Int, length: WireInteger)? {
        let digits = Array(buffered.prefix { $0 != 58 })
        // The digits must be valid with or without the colon, wherever the stream is split.
        guard digits.count <= 24, digits.drop(while: { $0 == 45 }).allSatisfy({ (48...57).contains($0) }) else {
            throw SocketError(.malformed, "no length")
        }
        guard digits.count < buffered.count else { return nil }
        guard let length = WireInteger(decimal: digits) else { throw SocketError(.malformed, "no length") }
        return (digits.count + 1, length)
    }

    // MARK: The reference

    /// The result of the whole stream, read from left to right.
    func reference(_ stream: [UInt8]) -> Cutting {
        switch kind {
        case .newline: lines(stream, delimiter: [10], cutsReturn: true)
        case .delimiter(let text): lines(stream, delimiter: Array(text.utf8), cutsReturn: false)
        case .prefix(let width, let order, let includesItself):
            prefixed(stream, width, order, includesItself ? UInt64(width) : 0)
        case .netstring: netstrings(stream)
        case .contentLength: heads(stream)
        }
    }

    private func lines(_ stream: [UInt8], delimiter: [UInt8], cutsReturn: Bool) -> Cutting {
        var (frames, start): ([[UInt8]], Int) = ([], 0)
        while let end = (start..<max(start, stream.count - delimiter.count + 1)).first(where: {
            stream[$0...].starts(with: delimiter)
        }) {
            var payload = Array(stream[start..<end])
            if cutsReturn, payload.last == 13 { payload.removeLast() }
            if payload.count > limit { return Cutting(frames: frames, error: .frameTooLong) }
            frames.append(payload)
            start = end + delimiter.count
        }
        let rest = Array(stream[start...])
        if rest.count > limit { return Cutting(frames: frames, error: .frameTooLong) }
        return Cutting(frames: rest.isEmpty ? frames : frames + [rest])
    }

    private func prefixed(_ stream: [UInt8], _ width: Int, _ order: ByteOrder, _ own: UInt64) -> Cutting {
        var (frames, rest): ([[UInt8]], [UInt8]) = ([], stream)
        while !rest.isEmpty {
            guard rest.count >= width else { return Cutting(frames: frames, error: .incompleteFrame) }
            let digits = order == .bigEndian ? Array(rest[..<width]) : rest[..<width].reversed()
            let length = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if length < own { return Cutting(frames: frames, error: .malformed) }
            if length - own > UInt64(limit) { return Cutting(frames: frames, error: .frameTooLong) }
            let end = width + Int(length - own)
            guard rest.count >= end else { return Cutting(frames: frames, error: .incompleteFrame) }
            frames.append(Array(rest[width..<end]))
            rest.removeFirst(end)
        }
        return Cutting(frames: frames)
    }

    private func netstrings(_ stream: [UInt8]) -> Cutting {
        decided(stream) { rest throws(SocketError) in
            guard let header = try Self.header(of: rest) else { return nil }
            return Parts(header: header.count, payload: header.length, trailer: [44])
        }
    }

    private func heads(_ stream: [UInt8]) -> Cutting {
        decided(stream) { rest throws(SocketError) in
            guard let end = rest.indices.first(where: { rest[$0...].starts(with: [13, 10, 13, 10]) }) else {
                return nil
            }
            var (lines, place): ([[UInt8]], Int) = ([[]], 0)
            while place < end {
                if rest[place] == 13, place + 1 < end, rest[place + 1] == 10 {
                    lines.append([])
                    place += 2
                } else {
                    lines[lines.count - 1].append(rest[place])
                    place += 1
                }
            }
            var length = WireInteger(0)
            for line in lines where line.count >= 2 && (line[0] == 76 || line[0] == 108) && line[1] == 58 {
                let isBlank: (UInt8) -> Bool = { [9, 10, 13, 32].contains($0) }
                let digits = line.dropFirst(2).drop(while: isBlank).reversed().drop(while: isBlank).reversed()
                guard let number = WireInteger(decimal: digits) else { throw SocketError(.malformed, "no length") }
                length = number
            }
            return Parts(header: end + 4, payload: length, includesHeader: true)
        }
    }

    private struct Parts {
        var header: Int
        var payload: WireInteger
        var trailer: [UInt8] = []
        var includesHeader = false
    }

    /// Cuts by `find`, which receives ever more bytes within the limit.
    private func decided(
        _ stream: [UInt8],
        _ find: ([UInt8]) throws(SocketError) -> Parts?
    ) -> Cutting {
        var (frames, rest): ([[UInt8]], [UInt8]) = ([], stream)
        while !rest.isEmpty {
            func failed(_ code: SocketError.Code) -> Cutting { Cutting(frames: frames, error: code) }
            var parts: Parts?
            do throws(SocketError) {
                for count in stride(from: 1, through: min(limit, rest.count), by: 1) where parts == nil {
                    parts = try find(Array(rest[..<count]))
                }
            } catch {
                return failed(error.code)
            }
            guard let parts else { return failed(rest.count < limit ? .incompleteFrame : .frameTooLong) }
            if parts.payload < WireInteger(0) { return failed(.malformed) }
            guard let payload = parts.payload.value(in: 0...limit) else { return failed(.frameTooLong) }
            let length = parts.header + payload + parts.trailer.count
            if length > limit { return failed(.frameTooLong) }
            if length > rest.count { return failed(.incompleteFrame) }
            guard rest[(parts.header + payload)...].starts(with: parts.trailer) else { return failed(.malformed) }
            frames.append(Array(rest[(parts.includesHeader ? 0 : parts.header)..<parts.header + payload]))
            rest.removeFirst(length)
        }
        return Cutting(frames: frames)
    }
}
