// SPDX-License-Identifier: MIT
import FuzzSupport
import ReactiveSockets
import SchedulerConformance

@testable import KeyValueService

/// Compares replies of every shape, encoded between messages, with an encoder that joins text. An input is a list of
/// replies.
enum ReplyFuzzer {
    static let fuzzer = Fuzzer("resp-replies", oneIn: 4) { random in
        random.bytes(random.number(in: 0..<60))
    } check: { input, random in
        let limit = random.oneIn(2) ? Int.max : random.number(in: 0..<40_000)
        var buffer = ReplyBuffer(limit: limit)
        var (expected, isOver): ([UInt8], Bool) = ([], false)
        var rest = input[...]
        while let choice = rest.popFirst() {
            if choice % 8 == 7 {
                let message = payload(choice)
                buffer.append(encoded: Bytes(message))
                expected += message
            } else {
                let reply = reply(choice, &rest, depth: 3)
                buffer.append(reply)
                let text = text(of: reply)
                expected += text
                isOver = isOver || text.count > limit
            }
            // Only a reply beyond the limit ends the connection.
            if buffer.isOverLimit != isOver {
                return "over the limit of \(limit): \(buffer.isOverLimit), not \(isOver)"
            }
            if isOver { return nil }
            if buffer.count != expected.count { return "\(buffer.count) bytes are counted, not \(expected.count)" }
            if random.oneIn(4), let fault = difference(&buffer, &expected) { return fault }
        }
        return difference(&buffer, &expected)
    }

    private static func difference(_ buffer: inout ReplyBuffer, _ expected: inout [UInt8]) -> String? {
        let rope = buffer.take()
        defer { expected = [] }
        if buffer.count != 0 { return "\(buffer.count) bytes are left" }
        guard let rope else { return expected.isEmpty ? nil : "nothing, not \(expected.count) bytes" }
        let isSame = rope.count == expected.count && Array(rope.joined) == expected
        return isSame ? nil : "\(rope.count) bytes are not the \(expected.count) that the reference says"
    }

    /// Some payloads are longer than the copy limit, and some longer than one buffer.
    private static func payload(_ choice: UInt8) -> [UInt8] {
        let counts = [0, 1, 10, 300, 8 * 1024, 8 * 1024 + 1, 20_000, 70_000]
        return [UInt8](repeating: choice, count: counts[Int(choice) / 8 % 8])
    }

    private static func reply(_ choice: UInt8, _ rest: inout ArraySlice<UInt8>, depth: Int) -> Reply {
        switch choice % 8 {
        case 0: return .ok
        case 1: return .status(Bytes(payload(choice & 15)))
        case 2: return .error(Bytes(payload(choice & 15)))
        case 3: return .integer([0, 9, 10, -1, .max, .min, 1 << 40, -10][Int(choice) / 8 % 8])
        case 4: return .bulk(Bytes(payload(choice)))
        case 5 where depth > 0, 6 where depth > 0:
            var replies: [Reply] = []
            for _ in 0..<choice / 8 % 6 {
                guard let next = rest.popFirst() else { break }
                replies.append(reply(next, &rest, depth: depth - 1))
            }
            return choice % 8 == 5 ? .array(replies) : .each(replies)
        default: return .null
        }
    }

    private static func text(of reply: Reply) -> [UInt8] {
        func line(_ sign: String, _ bytes: some Sequence<UInt8>) -> [UInt8] { Array(sign.utf8) + bytes + [13, 10] }
        return switch reply {
        case .ok: line("+OK", [])
        case .status(let bytes): line("+", bytes)
        case .error(let bytes): line("-", bytes)
        case .integer(let number): line(":\(number)", [])
        case .bulk(let bytes): line("$\(bytes.count)", []) + bytes + [13, 10]
        case .null: line("$-1", [])
        case .array(let replies): line("*\(replies.count)", []) + replies.flatMap(text(of:))
        case .each(let replies): replies.flatMap(text(of:))
        }
    }
}
