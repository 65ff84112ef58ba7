// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct RejectionTests {
        @Test("An ambiguous or malformed request is rejected", arguments: Rejection.all.indices)
        func rejected(index: Int) {
            let rejection = Rejection.all[index]
            let text = rejection.text.debugDescription
            let parsed = ParsedMessages(rejection.text)
            #expect(parsed.error?.code == rejection.code, "\(rejection.name): \(text)")
            // No part of the message is taken for another message.
            #expect(parsed.messages.filter(\.isComplete).isEmpty, "\(rejection.name): \(text)")
            #expect(parsed.error?.status != nil)
        }

        @Test("Every split of a rejected request gives the same result", arguments: Rejection.all.indices)
        func splits(index: Int) {
            let stream = Array(Rejection.all[index].text.utf8)
            let whole = ParsedMessages(stream)
            #expect(ParsedMessages(stream, cutAt: Array(1..<stream.count)) == whole)
            for cut in 1..<stream.count { #expect(ParsedMessages(stream, cutAt: [cut]) == whole) }
        }

        @Test(
            "An error states what is wrong",
            arguments: [
                ("GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n", "a carriage return is not followed by a line feed"),
                ("GET / HTTP/1.1\r\nA: b\u{1}c\r\n\r\n", "a field value contains byte 0x1"),
                ("GET a HTTP/1.1\r\n", "the request target begins neither with a slash nor with a scheme"),
                ("GET http HTTP/1.1\r\n", "the request target begins neither with a slash nor with a scheme"),
                ("GET http:// HTTP/1.1\r\n", "the host of the request target is invalid"),
                ("GET http:///a HTTP/1.1\r\n", "the host of the request target is invalid"),
            ]
        )
        func message(text: String, message: String) {
            #expect(ParsedMessages(text).errorText == message)
        }

        @Test("An error is final")
        func final() throws {
            var parser = MessageParser(.requests(scheme: "http"))
            parser.feed("GET / HTTP/1.1\nHost: a\r\n\r\n")
            #expect(throws: HTTPError.self) { try parser.next() }
            parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(throws: HTTPError.self) { try parser.next() }
            #expect(throws: HTTPError.self) { try parser.finish() }
            #expect(!parser.isInsideMessage)
        }
    }
#endif
