// SPDX-License-Identifier: MIT
#if NATS
    import FuzzSupport
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance

    @testable import ReactiveNATS

    /// Sends mutated server output to a client that subscribes to `a` and reads a stream: INFO, messages with and
    /// without headers, errors, and an end at any byte.
    ///
    /// An input is the INFO line and the bytes after it.
    enum NATSServerFuzzer {
        static let fuzzer = Fuzzer("nats-server", oneIn: 40, make: make, check: check)

        /// The byte that stands for the subject to which the client expects its reply.
        static let reply = UInt8(ascii: "@")

        private static let spoiler = Spoiler(delimiters: [
            "\r\n", "\r", "\n", " ", "\t", ":", ": ", "NATS/1.0", "MSG a 1 ", "HMSG a 1 ", "@", "PING\r\n", "PONG\r\n",
            "+OK\r\n", "-ERR '", "INFO {", "\"", "{", "\u{0}", "Status: ", "408",
        ])

        private static let info =
            #"INFO {"server_id":"F","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576,"jetstream":true}"#

        static func make(_ random: inout SplitMix64) -> [UInt8] {
            var first = Array((info + "\r\n").utf8)
            if random.oneIn(4) { spoiler.spoil(&first, &random) }
            var rest: [UInt8] = []
            for _ in 0..<random.number(in: 0..<8) { rest += operation(&random) }
            if !random.oneIn(4) { spoiler.spoil(&rest, &random) }
            return first + rest
        }

        private static func operation(_ random: inout SplitMix64) -> [UInt8] {
            switch random.number(in: 0..<12) {
            case 0: return Array("PING\r\n".utf8)
            case 1: return Array("+OK\r\n".utf8)
            case 2:
                let errors = ["maximum control line exceeded", "Permissions Violation", "Stale Connection", ""]
                return Array("-ERR '\(random.pick(errors))'\r\n".utf8)
            case 3: return Array((info + "\r\n").utf8)
            case 4, 5: return answer(#"{"type":"t","name":"C","stream_name":"S"}"#)
            case 6: return answer("{\"error\":{\"code\":\(random.pick(Spoiler.extremes))}}")
            case 7, 8:
                // A message of the stream, whose position is in the reply subject.
                let numbers = (0..<5).map { _ in
                    random.oneIn(8) ? random.pick(Spoiler.extremes) : "\(random.number(in: 0..<4))"
                }
                let place = "$JS.ACK.S.C.\(numbers.joined(separator: "."))"
                return Array("MSG s 2 \(place) 3\r\nabc\r\n".utf8)
            case 9: return status(&random)
            default: return message(&random)
            }
        }

        /// A reply to the client's question.
        private static func answer(_ text: String) -> [UInt8] {
            Array("MSG @ 3 \(text.utf8.count)\r\n\(text)\r\n".utf8)
        }

        private static func status(_ random: inout SplitMix64) -> [UInt8] {
            let code = random.pick([
                "100", "404", "408 Request Timeout", "409 Consumer Deleted", "503", "", "999999999",
            ])
            let headers =
                "NATS/1.0 \(code)\r\nNats-Pending-Messages: \(random.pick(Spoiler.extremes))\r\n\r\n"
            return headered(Array(headers.utf8), [], to: random.oneIn(2) ? "2" : "1", &random)
        }

        private static func message(_ random: inout SplitMix64) -> [UInt8] {
            var headers = Array("NATS/1.0\r\n".utf8)
            for _ in 0..<random.number(in: 0..<4) {
                headers += Array(random.pick(["A", "b", "Nats-Msg-Id", "X-é"]).utf8) + [58]
                headers += random.bytes(random.number(in: 0..<12)).filter { ![0, 10, 13].contains($0) } + [13, 10]
            }
            headers += [13, 10]
            spoiler.spoil(&headers, &random)
            return headered(headers, random.bytes(random.number(in: 0..<30)), to: "1", &random)
        }

        private static func headered(
            _ headers: [UInt8],
            _ payload: [UInt8],
            to id: String,
            _ random: inout SplitMix64
        ) -> [UInt8] {
            let reply = random.oneIn(3) ? " r" : ""
            let lengths = "\(headers.count) \(headers.count + payload.count)"
            return Array("HMSG a \(id)\(reply) \(lengths)\r\n".utf8) + headers + payload + [13, 10]
        }

        // MARK: The invariants

        private static func check(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
            let end = input.firstIndex(of: 10).map { $0 + 1 } ?? input.count
            let (info, rest) = (Array(input[..<end]), Array(input[end...]))
            let heard = NATSConversation(info, rest, cutAt: random.cuts(of: rest.count)).heard
            guard heard.hasEnded else { return "the client has not ended ten seconds after its connection" }
            for message in heard.messages {
                // Delivered bytes must have been sent. Blanks around values are trimmed.
                if !isPart(Array(message.payload), of: heard.said) { return "\(message) was not sent" }
                for field in message.headers.fields where !isPart(Array(field.name.utf8), of: heard.said) {
                    if field.name.unicodeScalars.contains("\u{FFFD}") || ["Status", "Description"].contains(field.name)
                    {
                        continue
                    }
                    return "the header \(field) was not sent"
                }
            }
            // Lower-case letters are accepted too.
            let capitals = heard.said.map { (97...122).contains($0) ? $0 - 32 : $0 }
            let sent = count(of: Array("MSG".utf8), in: capitals)
            if heard.messages.count + heard.numbers.count / 3 > sent { return "\(heard) of \(sent) messages" }
            let isInRange = heard.numbers.allSatisfy { DeliveryPosition.numbers.contains($0) }
            return isInRange ? nil : "numbers out of range: \(heard.numbers)"
        }

        private static func isPart(_ part: [UInt8], of whole: [UInt8]) -> Bool {
            part.isEmpty || count(of: part, in: whole) > 0
        }

        private static func count(of part: [UInt8], in whole: [UInt8]) -> Int {
            guard whole.count >= part.count else { return 0 }
            return (0...whole.count - part.count).count { whole[$0...].starts(with: part) }
        }
    }
#endif
