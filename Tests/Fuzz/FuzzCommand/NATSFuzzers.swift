// SPDX-License-Identifier: MIT
import FuzzSupport
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance

#if NATS
    @testable import ReactiveNATS

    /// The inputs from a NATS server and its other clients: delivery positions, request states, JSON and subjects.
    enum NATSFuzzers {
        static let all = [delivery, status, json, subject, NATSParserFuzzer.fuzzer, NATSServerFuzzer.fuzzer]

        private static let spoiler = Spoiler(delimiters: [".", "..", "*", ">", " ", "\r\n", "\u{0}", "$JS.ACK."])

        // MARK: Delivery positions

        static let delivery = Fuzzer("nats-delivery") { random in
            var parts = random.oneIn(2) ? ["$JS", "ACK", "domain", "account"] : ["$JS", "ACK"]
            parts += ["stream", "consumer"]
            parts += (0..<5).map { _ in random.oneIn(4) ? random.pick(Spoiler.extremes) : "\(random.next() >> 1)" }
            if parts.count > 9 { parts += (0..<random.number(in: 0..<3)).map { "token\($0)" } }
            var input = Array(parts.joined(separator: ".").utf8)
            spoiler.spoil(&input, &random)
            return input
        } check: { input, _ in
            guard let place = DeliveryPosition(String(decoding: input, as: UTF8.self)) else { return nil }
            let numbers = [place.deliveries, place.sequence, place.consumerSequence, Int(place.time), place.pending]
            if !numbers.allSatisfy({ $0 >= 0 && $0 < .max }) { return "\(numbers)" }
            // The text contains every number, without its leading zeros.
            let parts = String(decoding: input, as: UTF8.self).split(separator: ".")
            let written = parts.map { part in
                part.utf8.count > 1 && part.allSatisfy(\.isNumber) ? part.drop { $0 == "0" } : part
            }
            let isThere = numbers.allSatisfy { number in written.contains { $0 == "\(number)" || number == 0 } }
            return isThere && parts.contains { $0 == place.stream } ? nil : "\(place) of \(parts)"
        }

        // MARK: Statuses in place of a message

        static let status = Fuzzer("nats-status") { random in
            let number = random.oneIn(3) ? random.pick(Spoiler.extremes) : random.pick(["1", "2", "3"])
            var input = Array(number.utf8)
            spoiler.spoil(&input, &random)
            return input
        } check: { input, _ in
            var requests = PullRequests()
            for count in 1...3 { _ = requests.add(count) }
            let reply = "\(requests.replies.dropLast())\(String(decoding: input, as: UTF8.self))"
            let isCurrent = requests.isCurrent(reply) && reply != requests.replies
            requests.expire(reply)
            let missing = requests.outstanding
            return (isCurrent ? [0, 3, 5] : [6]).contains(missing) ? nil : "\(reply): \(missing) are missing"
        }

        // MARK: JSON

        static let json = Fuzzer("nats-json") { random in
            var input = Array(value(&random, depth: 4).utf8)
            Spoiler(delimiters: ["\"", "\\", "\\u", "\\ud800", "{", "}", "[", "]", ",", ":", "-", "e"])
                .spoil(&input, &random)
            return input
        } check: { input, _ in
            guard let value = JSONReader.value(of: input) else { return nil }
            let again = JSONReader.value(of: value.text.utf8)
            if again != value { return "\(value.text) is read as \(again.map(\.text) ?? "nothing")" }
            if let number = value.integer(in: 0...100), !(0...100).contains(number) { return "\(number)" }
            _ = NATSStreamInfo(value)
            _ = JetStream.failure(value, "fuzzing")
            return nil
        }

        /// Random JSON with the members that this client reads.
        private static func value(_ random: inout SplitMix64, depth: Int) -> String {
            let names = [
                "config", "state", "name", "messages", "error", "err_code", "seq", "description", "code", "stream",
            ]
            switch random.number(in: 0..<(depth > 0 ? 8 : 5)) {
            case 0: return random.pick(Spoiler.extremes)
            case 1: return "\(Int64(bitPattern: random.next()))"
            case 2: return random.pick(["true", "false", "null", "1e400", "-0.5e-3", "1E5"])
            case 3, 4: return "\"\(random.pick(["a", "\\u0041", "\\ud83d\\ude00", "\\ud800", "\\n", "é", ""]))\""
            case 5:
                let elements = (0..<random.number(in: 0..<4)).map { _ in value(&random, depth: depth - 1) }
                return "[\(elements.joined(separator: ", "))]"
            default:
                let members = (0..<random.number(in: 0..<5)).map { _ in
                    "\"\(random.pick(names))\":\(value(&random, depth: depth - 1))"
                }
                return "{\(members.joined(separator: ","))}"
            }
        }

        // MARK: Subjects

        static let subject = Fuzzer("nats-subject") { random in
            let parts = (0..<random.number(in: 1..<6)).map { _ in
                random.pick([
                    "a", "room", "*", ">", "a*", "é", String(repeating: "x", count: random.number(in: 1..<200)),
                ])
            }
            var input = Array(parts.joined(separator: ".").utf8)
            spoiler.spoil(&input, &random)
            return input
        } check: { input, random in
            let text = String(decoding: input, as: UTF8.self)
            let allowsWildcards = random.oneIn(2)
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let isGood = parts.enumerated().allSatisfy { index, part in
                let isWildcard = part == "*" || part == ">" && index == parts.count - 1
                let isPlain = !part.isEmpty && part != ">" && part.utf8.allSatisfy { $0 > 32 && $0 != 127 }
                return isPlain && part != "*" || allowsWildcards && isWildcard
            }
            let fault = NATSMessage.fault(ofSubject: text, allowsWildcards: allowsWildcards)
            if (fault == nil) != isGood { return "\(text.debugDescription): \(fault.map { "\($0)" } ?? "allowed")" }
            // The control line is a single line, and no longer than the computed length.
            let line = "HPUB \(text) \(text) 4294967295 4294967295\r\n"
            let length = ControlLine.length(publishing: NATSMessage(Bytes(), to: text, reply: text))
            if isGood, line.utf8.count > length { return "\(line) has \(line.utf8.count) bytes, counted are \(length)" }
            return isGood && line.split(whereSeparator: \.isNewline).count != 1 ? "\(line) is more than one line" : nil
        }
    }
#else
    /// The placeholder for a build without NATS.
    enum NATSFuzzers {
        static let all: [Fuzzer] = []
    }
#endif
