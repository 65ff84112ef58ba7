// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization
import Testing

@testable import KeyValueService

@Suite struct ValueTests {
    @Test(
        "Only digits with an optional minus are numbers",
        arguments: [
            ("0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("10", 10),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("", nil), ("-", nil), ("-0", nil),
            ("01", nil),
            ("+1", nil), (" 1", nil), ("1 ", nil), ("1a", nil), ("99999999999999999999", nil),
        ] as [(Bytes, Int?)]
    )
    func numbers(_ text: Bytes, _ number: Int?) {
        #expect(Decimal.parse(text) == number)
        if let number { #expect(Decimal.bytes(number) == text) }
    }

    @Test("The fast path reads short numbers, and returns nil for any other text")
    func shortWay() {
        func read(_ text: Bytes) -> Int? { text.withSpan { Decimal.read($0, 0)?.number } }
        #expect(read("12\r") == 12 && read("0\r") == 0 && read("99999999\r") == 99_999_999)
        for text: Bytes in ["12", "\r", "01\r", "-1\r", "1 \r", "123456789\r"] { #expect(read(text) == nil) }
    }

    @Test(
        "Replies are encoded by the protocol",
        arguments: [
            (.ok, "+OK\r\n"), (.status("RESET"), "+RESET\r\n"), (.error("ERR no"), "-ERR no\r\n"),
            (.integer(-12), ":-12\r\n"),
            (.integer(.min), ":-9223372036854775808\r\n"), (.integer(100), ":100\r\n"),
            (.bulk("a\r\n"), "$3\r\na\r\n\r\n"),
            (.bulk(""), "$0\r\n\r\n"), (.null, "$-1\r\n"), (.array([]), "*0\r\n"), (.each([]), ""),
            (.array([.integer(1), .array([.null])]), "*2\r\n:1\r\n*1\r\n$-1\r\n"),
            (.each([.ok, .integer(2)]), "+OK\r\n:2\r\n"),
        ] as [(Reply, Bytes)]
    )
    func replies(_ reply: Reply, _ text: Bytes) {
        var buffer = ReplyBuffer()
        buffer.append(reply)
        #expect((buffer.take()?.joined ?? Bytes()) == text)
        #expect(buffer.take() == nil)
    }

    @Test("A long value is sent without a copy, in one rope with the text around it")
    func longValues() throws {
        let long = Bytes(repeatElement(7, count: 100_000))
        var buffer = ReplyBuffer()
        buffer.append(.ok)
        buffer.append(.bulk(long))
        buffer.append(.integer(1))
        #expect(buffer.count == 100_000 + 20)
        let taken = buffer.take()
        let rope = try #require(taken)
        let buffers = Mutex<[Bytes]>([])
        Signal(just: rope).buffers { #expect($0 == 100_020) }
            .subscribe(
                onValue: { bytes in buffers.withLock { $0.append(bytes) } },
                onTermination: { end in #expect(end == .completed) }
            )
        let sent = buffers.withLock { $0 }
        #expect(sent == ["+OK\r\n$100000\r\n", long, "\r\n:1\r\n"])
        #expect(sent[1].withUnsafeBytes { $0.baseAddress } == long.withUnsafeBytes { $0.baseAddress })
    }

    @Test("Encoding stops when a reply exceeds the limit")
    func overLimit() {
        let long = Bytes(repeatElement(7, count: 5000))
        var buffer = ReplyBuffer(limit: 20_000)
        buffer.append(.array(Array(repeating: .bulk(long), count: 3)))
        #expect(!buffer.isOverLimit)
        buffer.append(.array(Array(repeating: .bulk(long), count: 1_000_000)))
        #expect(buffer.isOverLimit && buffer.count < 45_000)
    }

    @Test("Names ignore case, and longer ones are equal to no command's")
    func names() {
        #expect(CommandName("PSubscribe") == CommandName("psubscribe"))
        #expect(CommandName("get") != CommandName("set"))
        #expect(CommandName("aget") != CommandName("get"))
        #expect(CommandName("a-name-of-17-byte") == CommandName("another-long-name-that-is-none"))
    }
}
