// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance

@testable import ReactiveSockets

/// The result of a stream: its frames and its error.
struct Cut: Equatable {
    var frames: [[UInt8]] = []
    /// `nil` if the stream continued or completed.
    var code: SocketError.Code?
}

/// Splits `input` into chunks of these sizes and a last chunk with the rest, and frames them.
func cut(_ input: [UInt8], by framing: Framing, limit: Int = 1 << 20, at sizes: some Sequence<Int>) -> Cut {
    let chunks = Subject<Bytes, SocketError>()
    let log = chunks.signal.framed(by: framing, limit: limit).log()
    var start = 0
    for size in sizes where start < input.count {
        let end = min(input.count, start + size)
        chunks.send(foreign(input[start..<end]))
        start = end
    }
    if start < input.count { chunks.send(foreign(input[start...])) }
    chunks.complete()
    return Cut(frames: log.values.map { Array($0) }, code: log.code)
}

/// Bytes in the middle of a larger buffer, with indices that do not begin at zero. Framing must not read beyond them.
func foreign(_ bytes: some Collection<UInt8>) -> Bytes {
    let all = Bytes([1, 10, 13] + Array(bytes) + [10, 0, 0, 0, 1, 10])
    return all[3..<3 + bytes.count]
}

/// A framing of each kind, with a simple reference for a whole stream.
enum FramingCase: String, CaseIterable, Sendable {
    case newline, crlf, selfLike, prefix1, prefix2, prefix4Little, prefix8, prefix4Itself, closure, lookahead, trailer

    var framing: Framing {
        switch self {
        case .newline: .newline
        case .crlf: .delimiter("\r\n")
        // The delimiter begins like its own suffix, so a search must not skip a match.
        case .selfLike: .delimiter("aab")
        case .prefix1: .lengthPrefix(bytes: 1)
        case .prefix2: .lengthPrefix(bytes: 2)
        case .prefix4Little: .lengthPrefix(bytes: 4, .littleEndian)
        case .prefix8: .lengthPrefix(bytes: 8)
        case .prefix4Itself: .lengthPrefix(bytes: 4, includesItself: true)
        case .closure: Self.digits
        case .lookahead: Self.runs
        case .trailer: Self.trailers
        }
    }

    /// Netstrings without the comma: digits, a colon, and that many bytes.
    static let digits = Framing { (buffered: Bytes) throws(SocketError) in
        guard let colon = buffered.firstIndex(of: UInt8(ascii: ":")) else {
            guard buffered.count <= 4, buffered.allSatisfy({ (48...57).contains($0) }) else {
                throw SocketError(.malformed, "no length")
            }
            return .incomplete
        }
        guard let length = UInt(decimal: buffered[..<colon]) else { throw SocketError(.malformed, "no length") }
        return .frame(header: colon + 1, payload: length)
    }

    /// Runs of equal bytes: the end of a run is known from the byte after it.
    static let runs = Framing { (buffered: Bytes) throws(SocketError) in
        guard let end = buffered.firstIndex(where: { $0 != buffered[0] }) else { return .incomplete }
        return .frame(header: 0, payload: end)
    }

    /// A byte that counts the payload, the payload, and two semicolons.
    static let trailers = Framing(
        encode: { (payload: Bytes) throws(SocketError) in
            "\(Bytes(UInt8(clamping: payload.count)))\(payload);;"
        },
        { (buffered: Bytes) throws(SocketError) in .frame(header: 1, payload: buffered[0], trailer: ";;") }
    )

    /// The reference result for a stream that is well formed up to its end.
    func expected(_ input: [UInt8], limit: Int) -> Cut {
        switch self {
        case .newline: Self.delimited(input, "\n", limit, cutsReturn: true)
        case .crlf: Self.delimited(input, "\r\n", limit)
        case .selfLike: Self.delimited(input, "aab", limit)
        case .prefix1: Self.prefixed(input, 1, limit)
        case .prefix2: Self.prefixed(input, 2, limit)
        case .prefix4Little: Self.prefixed(input, 4, limit, isLittle: true)
        case .prefix8: Self.prefixed(input, 8, limit)
        case .prefix4Itself: Self.prefixed(input, 4, limit, itself: 4)
        case .closure, .lookahead, .trailer: Self.decided(input, framing, limit)
        }
    }

    private static func delimited(_ input: [UInt8], _ text: String, _ limit: Int, cutsReturn: Bool = false) -> Cut {
        let delimiter = Array(text.utf8)
        var cut = Cut()
        var frame: [UInt8] = []
        for byte in input {
            frame.append(byte)
            guard frame.suffix(delimiter.count) == delimiter[...] else { continue }
            frame.removeLast(delimiter.count)
            if cutsReturn, frame.last == 13 { frame.removeLast() }
            if frame.count > limit { return Cut(frames: cut.frames, code: .frameTooLong) }
            cut.frames.append(frame)
            frame = []
        }
        if frame.count > limit { cut.code = .frameTooLong } else if !frame.isEmpty { cut.frames.append(frame) }
        return cut
    }

    private static func prefixed(
        _ input: [UInt8],
        _ width: Int,
        _ limit: Int,
        isLittle: Bool = false,
        itself: UInt64 = 0
    ) -> Cut {
        var cut = Cut()
        var rest = input[...]
        while !rest.isEmpty {
            let prefix = rest.prefix(width)
            if prefix.count < width { return Cut(frames: cut.frames, code: .incompleteFrame) }
            let length = (isLittle ? prefix.reversed() : Array(prefix)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if length < itself { return Cut(frames: cut.frames, code: .malformed) }
            if length - itself > UInt64(limit) { return Cut(frames: cut.frames, code: .frameTooLong) }
            rest = rest.dropFirst(width)
            if rest.count < Int(length - itself) { return Cut(frames: cut.frames, code: .incompleteFrame) }
            cut.frames.append(Array(rest.prefix(Int(length - itself))))
            rest = rest.dropFirst(Int(length - itself))
        }
        return cut
    }

    /// The decisions of a closure on the rest of the stream, one byte longer each time.
    private static func decided(_ input: [UInt8], _ framing: Framing, _ limit: Int) -> Cut {
        guard case .decision(let decide) = framing.rule else { return Cut() }
        var cut = Cut()
        var rest = input[...]
        while !rest.isEmpty {
            if limit == 0 { return Cut(frames: cut.frames, code: .frameTooLong) }
            var found: Framing.Decision.Parts?
            for count in 1...rest.count where found == nil {
                do throws(SocketError) {
                    if case .frame(let parts) = try decide(Bytes(rest.prefix(count))).kind { found = parts }
                } catch {
                    return Cut(frames: cut.frames, code: error.code)
                }
                if found == nil, count >= limit { return Cut(frames: cut.frames, code: .frameTooLong) }
            }
            guard let found else { return Cut(frames: cut.frames, code: .incompleteFrame) }
            // A length beyond every limit of these tests stands for all larger ones.
            let payload = found.payload.clamped(to: 0...1 << 40)
            let length = found.header + payload + found.trailer.count
            if length > limit { return Cut(frames: cut.frames, code: .frameTooLong) }
            if length > rest.count { return Cut(frames: cut.frames, code: .incompleteFrame) }
            let frame = Array(rest.prefix(length))
            if Array(frame.suffix(found.trailer.count)) != Array(found.trailer) {
                return Cut(frames: cut.frames, code: .malformed)
            }
            cut.frames.append(Array(frame.dropFirst(found.header).prefix(payload)))
            rest = rest.dropFirst(length)
        }
        return cut
    }

    /// A well-formed stream of `count` frames with at most `longest` bytes each.
    func stream(_ count: Int, longest: Int, _ random: inout SplitMix64) -> [UInt8] {
        (0..<count).flatMap { _ -> [UInt8] in
            let length = Int.random(in: 0...longest, using: &random)
            var payload = (0..<length).map { _ in UInt8.random(in: 97...98, using: &random) }
            switch self {
            case .newline:
                if Bool.random(using: &random) { payload.append(13) }
                return payload + [10]
            case .crlf: return payload + [13, 10]
            case .selfLike: return payload + Array("aab".utf8)
            case .closure: return Array("\(length):".utf8) + payload
            case .lookahead: return Array(repeating: UInt8.random(in: 0...255, using: &random), count: max(1, length))
            default:
                guard let frame = try? framing.encode(Bytes(payload)) else { return [] }
                return Array(frame)
            }
        }
    }
}
