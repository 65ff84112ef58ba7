// SPDX-License-Identifier: MIT
import FuzzSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance

/// Compares framings of streams that are split at random with a parser that sees the whole stream at once.
///
/// The first byte of an input selects the framing, and the second the limit. The rest is the stream.
enum FramingFuzzer {
    static let parsing = Fuzzer("framing", make: make, check: check)
    static let encoding = Fuzzer("frame-encoding", make: make, check: checkEncoding)

    private static let spoiler = Spoiler(delimiters: ["\n", "\r", "\r\n", "ab", "aab", ":", ",", "\u{0}"])

    private static func make(_ random: inout SplitMix64) -> [UInt8] {
        let header = [UInt8(random.number(in: 0..<FramingCase.count)), UInt8(random.number(in: 0..<40))]
        let framing = FramingCase(header[0], limit: header[1])
        var stream: [UInt8] = []
        for _ in 0..<random.number(in: 0..<6) {
            let length = random.oneIn(3) ? framing.limit + random.number(in: 0..<4) - 2 : random.number(in: 0..<30)
            stream += framing.frame(random.bytes(max(0, length)))
        }
        if random.oneIn(8) { stream += [UInt8](repeating: 255, count: 8) }
        spoiler.spoil(&stream, &random)
        return header + stream
    }

    private static func check(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
        guard input.count >= 2 else { return nil }
        let framing = FramingCase(input[0], limit: input[1])
        let stream = Array(input.dropFirst(2))
        let expected = framing.reference(stream)
        var cuts: [[Int]] = [[], Array(0...stream.count)] + (0..<4).map { _ in random.cuts(of: stream.count) }
        if stream.count <= 64 { cuts += (0...stream.count).map { [$0] } }
        for places in cuts {
            let found = Cutting(framing, stream.chunks(cutAt: places))
            if found != expected {
                return "\(framing) cut at \(places): \(found), the reference says \(expected)"
            }
        }
        return nil
    }

    /// Encoded payloads are decoded again, however the stream is split.
    private static func checkEncoding(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
        guard input.count >= 2 else { return nil }
        let framing = FramingCase(input[0], limit: 255)
        guard framing.framing.canEncode else { return nil }
        var (payloads, stream): ([[UInt8]], [UInt8]) = ([], [])
        for payload in input.dropFirst(2).split(separator: 10, omittingEmptySubsequences: false) {
            guard payload.count <= framing.limit, let frame = try? framing.framing.value.encode(Bytes(Array(payload)))
            else { continue }
            payloads.append(Array(payload))
            stream += Array(frame)
        }
        let found = Cutting(framing, stream.chunks(cutAt: random.cuts(of: stream.count)))
        return found == Cutting(frames: payloads) ? nil : "\(framing) encodes \(payloads), and cuts \(found)"
    }
}

/// The result of framing a stream: its frames, and the error that ends it.
struct Cutting: Equatable, CustomStringConvertible {
    var frames: [[UInt8]] = []
    var error: SocketError.Code?

    init(frames: [[UInt8]], error: SocketError.Code? = nil) {
        self.frames = frames
        self.error = error
    }

    /// Frames chunks with the module's own operator.
    init(_ framing: FramingCase, _ chunks: [[UInt8]]) {
        let source = Subject<Bytes, SocketError>()
        let result = Collected()
        source.signal.framed(by: framing.framing.value, limit: framing.limit).subscribe(
            onValue: { frame in result.cutting.withLock { $0.frames.append(Array(frame)) } },
            onTermination: { end in
                if case .failed(let error) = end { result.cutting.withLock { $0.error = error.code } }
            }
        )
        for chunk in chunks { source.send(Bytes(chunk)) }
        source.complete()
        self = result.cutting.withLock { $0 }
    }

    var description: String { "\(frames) \(error.map { "\($0)" } ?? "completed")" }
}

/// Collects the events of one subscription.
private final class Collected: Sendable {
    let cutting = Lock(Cutting(frames: []))
}
