// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Decisions of a framing's closure with any numbers, as a peer may send them.
@Suite struct DecisionTests {
    private typealias Decision = Framing.Decision

    /// Cuts five bytes by a closure that always returns the same decision, and returns the failure.
    private func failure(of decision: Framing.Decision) -> SocketError? {
        let chunks = Subject<Bytes, SocketError>()
        let log = chunks.signal.framed(by: Framing { _ in decision }, limit: 100).log()
        chunks.send("abcde")
        return log.failure
    }

    @Test(
        "A negative length, an empty frame, and incomplete(atLeast:) with bytes that have arrived are malformed",
        arguments: [
            .frame(header: -1, payload: 4), .frame(header: 4, payload: -1), .frame(header: 0, payload: -100),
            .frame(header: .min, payload: Int.max), .frame(header: .max, payload: Int.min),
            .frame(header: -3, payload: 3), .frame(header: 3, payload: -3), .frame(header: 1, payload: Int128.min),
            .frame(header: 0, payload: 0), .frame(header: 0, payload: 0, includesHeader: true),
            .frame(header: 36, payload: WireInteger(-100)), .frame(header: .min, payload: Int64.min, trailer: ","),
            .incomplete(atLeast: .min), .incomplete(atLeast: -1), .incomplete(atLeast: 0), .incomplete(atLeast: 1),
            .incomplete(atLeast: 5),
        ] as [Framing.Decision]
    )
    func malformed(_ decision: Framing.Decision) {
        let error = failure(of: decision)
        #expect(error?.code == .malformed)
        #expect(error?.message.contains("\(decision)") == true, "\(error?.message ?? "")")
    }

    @Test(
        "A frame that exceeds the limit or whose length overflows is too long",
        arguments: [
            .frame(header: .max, payload: Int.max), .frame(header: .max, payload: 1),
            .frame(header: 1, payload: Int.max), .frame(header: 0, payload: UInt64.max),
            .frame(header: 0, payload: Int128.max),
            .frame(header: 1, payload: WireInteger(UInt64.max)), .frame(header: 101, payload: 0),
            .frame(header: 50, payload: 51), .frame(header: 0, payload: 100, trailer: ","),
            .frame(header: 100, payload: 0, trailer: ","),
            .frame(header: 0, payload: 0, trailer: Bytes(noise(101))), .incomplete(atLeast: 101),
            .incomplete(atLeast: .max),
        ] as [Framing.Decision]
    )
    func tooLong(_ decision: Framing.Decision) {
        let error = failure(of: decision)
        #expect(error?.code == .frameTooLong)
        #expect(error?.message.contains("the limit is 100 bytes") == true, "\(error?.message ?? "")")
    }

    @Test("A frame of the limit is sent, whichever part of it is long")
    func atTheLimit() {
        let input: [UInt8] = noise(99) + [44]
        let cases: [(Decision, ArraySlice<UInt8>)] = [
            (.frame(header: 100, payload: 0), []),
            (.frame(header: 0, payload: 100), input[...]),
            (.frame(header: 40, payload: 60), input[40...]),
            (.frame(header: 40, payload: 59, trailer: ","), input[40..<99]),
            (.frame(header: 40, payload: 59, trailer: ",", includesHeader: true), input[..<99]),
            (.frame(header: 0, payload: 0, trailer: Bytes(input)), []),
        ]
        for (decision, value) in cases {
            for sizes: [Int] in [[], [1], [99], Array(repeating: 1, count: 100)] {
                let result = cut(input, by: Framing { _ in decision }, limit: 100, at: sizes)
                #expect(result == Cut(frames: [Array(value)]), "\(decision)")
            }
        }
    }

    @Test("Other bytes instead of the trailer are malformed, and the error shows both")
    func trailers() {
        let framing = Framing { _ in .frame(header: 1, payload: 2, trailer: "\r\n") }
        for most in 1...5 {
            let sizes = Array(repeating: most, count: 5)
            #expect(cut(Array("3ab\r\n3cd\r\n".utf8), by: framing, at: sizes).frames == [[97, 98], [99, 100]])
            #expect(cut(Array("3ab\r\r3cd\r\n".utf8), by: framing, at: sizes) == Cut(code: .malformed))
            #expect(cut(Array("3ab\r".utf8), by: framing, at: sizes) == Cut(code: .incompleteFrame))
        }
        let log = Signal<Bytes, SocketError>(values: ["3ab\n\n"]).framed(by: framing, limit: 9).log()
        guard let error = log.failure else {
            Issue.record("the signal has not failed")
            return
        }
        #expect(error.message.contains(#""\n\n" instead of "\r\n""#), "\(error.message)")
    }

    @Test("A decision is printed as it is written in Swift")
    func descriptions() {
        #expect("\(Decision.incomplete)" == ".incomplete")
        #expect("\(Decision.incomplete(atLeast: -7))" == ".incomplete(atLeast: -7)")
        #expect("\(Decision.frame(header: 4, payload: -100))" == ".frame(header: 4, payload: -100)")
        let all = Decision.frame(header: 1, payload: 2, trailer: "\n", includesHeader: true)
        #expect("\(all)" == #".frame(header: 1, payload: 2, trailer: "\n", includesHeader: true)"#)
    }

    @Test("Random decisions give the same frames and the same error wherever the stream is split")
    func model() {
        var random = SplitMix64(seed: 24)
        for round in 0..<400 {
            let table = (0..<4).map { _ in Self.decision(&random) }
            let framing = Framing { buffered in table[Int(buffered[0] % 4)] }
            let limit = [0, 1, 3, 12, Int.max].randomElement(using: &random) ?? 3
            let input = (0..<Int.random(in: 0...16, using: &random)).map { _ in UInt8.random(in: 0...4, using: &random)
            }
            let expected = Self.reference(input, table, limit)
            for place in 0...input.count {
                let result = cut(input, by: framing, limit: limit, at: [place])
                #expect(result == expected, "round \(round), \(table), limit \(limit), \(input) cut at \(place)")
            }
            let bytewise = cut(input, by: framing, limit: limit, at: input.map { _ in 1 })
            #expect(bytewise == expected, "round \(round), \(table), limit \(limit), \(input) cut everywhere")
        }
    }

    private static let numbers = [
        Int.min, Int.min + 1, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 12, 13, Int.max / 2 + 1, Int.max - 1, Int.max,
    ]

    private static func decision(_ random: inout SplitMix64) -> Framing.Decision {
        // Half of the numbers are small, so that half of the streams have frames.
        func number() -> Int {
            Bool.random(using: &random)
                ? Int.random(in: 0...3, using: &random) : numbers.randomElement(using: &random) ?? 0
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .incomplete
        case 1: return .incomplete(atLeast: number())
        default:
            let payload = number()
            let trailers: [Bytes] = [Bytes(), Bytes(), [1], [2, 3]]
            return .frame(
                header: number(),
                // Also numbers beyond `Int`.
                payload: payload == .max ? WireInteger(UInt64.max) : WireInteger(payload),
                trailer: trailers.randomElement(using: &random) ?? Bytes(),
                includesHeader: Bool.random(using: &random)
            )
        }
    }

    /// The result of a whole stream. The decision depends on the first byte of a frame alone.
    private static func reference(_ input: [UInt8], _ table: [Framing.Decision], _ limit: Int) -> Cut {
        var cut = Cut()
        var rest = input[...]
        while let first = rest.first {
            func ended(_ code: SocketError.Code) -> Cut { Cut(frames: cut.frames, code: code) }
            if limit == 0 { return ended(.frameTooLong) }
            switch table[Int(first % 4)].kind {
            case .incomplete(nil): return ended(rest.count >= limit ? .frameTooLong : .incompleteFrame)
            case .incomplete(let least?):
                if least > limit { return ended(.frameTooLong) }
                return ended(rest.count >= least ? .malformed : .incompleteFrame)
            case .frame(let parts):
                guard parts.header >= 0, let payload = UInt64("\(parts.payload)") else { return ended(.malformed) }
                let length = Int128(parts.header) + Int128(payload) + Int128(parts.trailer.count)
                if length > limit { return ended(.frameTooLong) }
                if length == 0 { return ended(.malformed) }
                if length > rest.count { return ended(.incompleteFrame) }
                let frame = Array(rest.prefix(Int(length)))
                let value = frame.dropLast(parts.trailer.count)
                if frame.dropFirst(value.count) != ArraySlice(parts.trailer) { return ended(.malformed) }
                cut.frames.append(Array(value.dropFirst(parts.includesHeader ? 0 : parts.header)))
                rest = rest.dropFirst(Int(length))
            }
        }
        return cut
    }
}
