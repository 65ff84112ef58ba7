// SPDX-License-Identifier: MIT
import ReactiveSockets
import Testing

@testable import KeyValueService

@Suite struct ParserTests {
    private static let stream = Bytes(joining: [
        array("SET", "key", "a\r\nb"), "PING\r\n", array("GET", ""), "*0\r\n", "\r\n", "*-1\r\n",
        "set \"a b\\x41\\n\" 'it''s'\r\n".replacing("'it''s'", with: "'it\\'s'"),
        array("ECHO", Bytes([0, 255, 13, 10])), "  get   x  \n",
    ])
    private static let read = Reading([
        ["SET", "key", "a\r\nb"], ["PING"], ["GET", ""], ["set", "a bA\n", "it's"], ["ECHO", Bytes([0, 255, 13, 10])],
        ["get", "x"],
    ])

    @Test("Arrays and lines are read in order, without empty ones")
    func whole() {
        #expect(Reading([Self.stream]) == Self.read)
    }

    @Test("Splitting the stream once, anywhere, does not change the result")
    func cutOnce() {
        for offset in 1..<Self.stream.count { #expect(Reading(Self.stream.cut(at: [offset])) == Self.read) }
    }

    @Test("Reading byte by byte does not change the result")
    func bytes() {
        #expect(Reading(Self.stream.cut(at: Array(0..<Self.stream.count))) == Self.read)
    }

    @Test("Splitting thousands of requests at random does not change the result")
    func pieces() {
        var random = Seeded(7)
        let stream = Bytes(joining: Array(repeating: Self.stream, count: 200))
        for _ in 0..<20 {
            let offsets = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                Int.random(in: 0..<stream.count, using: &random)
            }
            #expect(Reading(stream.cut(at: offsets)).requests.count == 200 * Self.read.requests.count)
        }
    }

    @Test("The words of a request in one chunk share its memory, and a stored value does not")
    func sharing() {
        var parser = RequestParser(RequestLimits())
        let chunk = Bytes(joining: [array("SET", "key", "value"), Bytes(repeatElement(32, count: 10_000))])
        let batch = parser.read(chunk)
        let value = batch[2]
        #expect(value.withUnsafeBytes { $0.baseAddress } == chunk[26...].withUnsafeBytes { $0.baseAddress })
        #expect(value.compacted().withUnsafeBytes { $0.baseAddress } != value.withUnsafeBytes { $0.baseAddress })
    }

    @Test(
        "A malformed request gives the error of Redis, and the parser ignores later bytes",
        arguments: [
            ("*x\r\n", "invalid multibulk length"), ("*\r\n", "invalid multibulk length"),
            ("*01\r\n", "invalid multibulk length"), ("*+1\r\n", "invalid multibulk length"),
            ("*1048577\r\n", "invalid multibulk length"), ("*99999999999999999999\r\n", "invalid multibulk length"),
            ("*1\r\n:1\r\n", "expected '$', got ':'"), ("*1\r\n\n", "expected '$', got ' '"),
            ("*1\r\n$-1\r\n", "invalid bulk length"), ("*1\r\n$x\r\n", "invalid bulk length"),
            ("*1\r\n$536870913\r\n", "invalid bulk length"), ("*1\r\n$1 \r\n", "invalid bulk length"),
            ("get \"a\r\n", "unbalanced quotes in request"), ("get 'a'b\r\n", "unbalanced quotes in request"),
            ("get \"a\"b\r\n", "unbalanced quotes in request"),
        ] as [(Bytes, Bytes)]
    )
    func malformed(_ input: Bytes, _ text: Bytes) {
        let before = array("GET", "a")
        let all = Bytes(joining: [before, input, array("GET", "b")])
        let expected = Reading([["GET", "a"]], error: text)
        #expect(Reading([all]) == expected)
        #expect(Reading(all.cut(at: Array(0..<all.count))) == expected)
        #expect(Reading([all, array("GET", "c")]) == expected)
    }

    @Test("A line or a count of more than 64 KiB is an error")
    func endless() {
        let long = Bytes(repeatElement(UInt8(ascii: "7"), count: 65_537))
        #expect(Reading([long]).error == "too big inline request")
        #expect(Reading(["*", long]).error == "too big mbulk count string")
        #expect(Reading(["*1\r\n$", long]).error == "too big bulk count string")
        #expect(Reading([long.dropLast(2)]).error == nil)
    }

    @Test("A request over the limit fails as soon as its length is known, and one at the limit does not")
    func limits() {
        let limits = RequestLimits(bytes: 100, arguments: 4)
        #expect(Reading(["*2\r\n$3\r\nGET\r\n$101\r\n"], limits).error == "invalid bulk length")
        #expect(
            Reading(["*2\r\n$70\r\n", Bytes(repeatElement(65, count: 70)), "\r\n$20\r\n"], limits).error
                == "invalid bulk length"
        )
        #expect(Reading(["*2\r\n$3\r\nGET\r\n$60\r\n"], limits).error == nil)
        #expect(Reading(["*5\r\n"], limits).error == "invalid multibulk length")
        #expect(Reading([array("a", "b", "c", "d")], limits) == Reading([["a", "b", "c", "d"]]))
    }

    @Test("A request that spans many chunks is buffered once")
    func held() {
        var parser = RequestParser(RequestLimits())
        var kept = 0
        for chunk in ["*2\r\n$3\r\nSET\r\n$1000000\r\n"]
            + Array(repeating: Bytes(repeatElement(1, count: 1000)), count: 999)
        {
            #expect(parser.read(chunk).extents.isEmpty)
            kept += chunk.count
            #expect(parser.heldCount == kept)
        }
        #expect(parser.read(Bytes(repeatElement(1, count: 1002))).extents.count == 1)
        #expect(parser.heldCount == 0)
    }
}

extension String {
    fileprivate func replacing(_ text: String, with other: String) -> Bytes {
        Bytes(split(separator: text, omittingEmptySubsequences: false).joined(separator: other))
    }
}
