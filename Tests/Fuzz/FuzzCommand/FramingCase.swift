// SPDX-License-Identifier: MIT
import ReactiveSockets

/// One framing with its limit, and the simplest possible reference parser for its format.
struct FramingCase: CustomStringConvertible {
    enum Kind {
        case newline
        case delimiter(String)
        case prefix(width: Int, ByteOrder, includesItself: Bool)
        case netstring
    }

    static let kinds: [Kind] =
        [.newline, .delimiter("\u{0}"), .delimiter("ab"), .delimiter("aab"), .delimiter("\r\n"), .netstring]
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
        case .netstring: (Framing { (buffered: Bytes) throws(SocketError) in try Self.decide(buffered) }, false)
        }
    }

    /// A frame with this payload, without checks.
    func frame(_ payload: [UInt8]) -> [UInt8] {
        switch kind {
        case .newline: return payload + [10]
        case .delimiter(let text): return payload + Array(text.utf8)
        case .netstring: return Array("\(payload.count):".utf8) + payload + [44]
        case .prefix(let width, let order, let includesItself):
            let length = UInt64(payload.count + (includesItself ? width : 0))
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: length >> UInt64(8 * $0)) }
            return (order == .littleEndian ? bytes : bytes.reversed()) + payload
        }
    }

    private static func decide(_ buffered: Bytes) throws(SocketError) -> Framing.Decision {
        let colon = buffered.firstIndex(of: 58)
        // The digits must be valid with or without the colon: "-0" is a number too.
        let digits = buffered[..<(colon ?? buffered.count)]
        guard digits.count <= 4, digits.allSatisfy({ (48...57).contains($0) }) else {
            throw SocketError(.malformed, "no length")
        }
        guard let colon else { return .incomplete(atLeast: buffered.count + 1) }
        guard let length = WireInteger(decimal: digits)?.value(in: 0...9999) else {
            throw SocketError(.malformed, "no length")
        }
        return .frame(payload: colon + 1..<colon + 1 + length, length: colon + length + 2)
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
        var (frames, rest): ([[UInt8]], [UInt8]) = ([], stream)
        while !rest.isEmpty {
            do throws(SocketError) {
                guard let (payload, length) = try decision(on: rest) else {
                    return Cutting(frames: frames, error: rest.count < limit ? .incompleteFrame : .frameTooLong)
                }
                if length > limit { return Cutting(frames: frames, error: .frameTooLong) }
                guard rest.count >= length else { return Cutting(frames: frames, error: .incompleteFrame) }
                frames.append(Array(rest[payload]))
                rest.removeFirst(length)
            } catch {
                return Cutting(frames: frames, error: error.code)
            }
        }
        return Cutting(frames: frames)
    }

    /// The first decision of the closure within the limit, with ever more bytes.
    private func decision(on rest: [UInt8]) throws(SocketError) -> (payload: Range<Int>, length: Int)? {
        for count in stride(from: 1, through: min(limit, rest.count), by: 1) {
            if case .frame(let payload, let length) = try Self.decide(Bytes(rest[..<count])) {
                return (payload, length)
            }
        }
        return nil
    }
}
