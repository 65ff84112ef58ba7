// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerDispatch
import Testing

// The snippets of Docs/Framing.md and of Bytes that no example program contains.

// Requests with a body of Content-Length bytes.
let httpRequests = Framing { buffered throws(SocketError) in
    guard let blank = buffered.prefix(8192).firstRange(of: "\r\n\r\n") else {
        guard buffered.count < 8192 else { throw SocketError(.frameTooLong, "a head has at most 8192 bytes") }
        return .incomplete
    }
    var body: WireInteger?
    for line in buffered[..<blank.lowerBound].split(separator: "\r\n") {
        guard let colon = line.firstRange(of: ":"),
            line[..<colon.lowerBound].equalsIgnoringASCIICase("content-length")
        else { continue }
        let length = WireInteger(decimal: line[colon.upperBound...].trimmingASCIIWhitespace())
        // Two lengths would be read differently by a proxy in front of this server.
        guard let length, body == nil else {
            throw SocketError(.malformed, "a request has at most one Content-Length, which is a decimal number")
        }
        body = length
    }
    return .frame(header: blank.upperBound, payload: body ?? WireInteger(0), includesHeader: true)
}

@Suite struct FramingSnippets {
    private func request(_ length: String, _ body: String = "") -> Bytes {
        "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:\(length)\r\n\r\n\(body)"
    }

    /// Cuts the stream at one place, or byte by byte.
    private func cut(_ stream: Bytes, at place: Int?) -> Log<Bytes, SocketError> {
        let chunks = Subject<Bytes, SocketError>()
        let log = chunks.signal.framed(by: httpRequests, limit: 64 * 1024).log()
        if let place {
            for part in [stream[..<place], stream[place...]] where !part.isEmpty { chunks.send(part) }
        } else {
            for index in stream.indices { chunks.send(stream[index...index]) }
        }
        chunks.complete()
        return log
    }

    @Test("Requests are cut wherever the stream is split")
    func requestsAreCut() {
        let all = [request(" 5 ", "hello"), "GET / HTTP/1.1\r\n\r\n", request("0"), request("02", "\r\n")]
        let stream = Bytes(joining: all)
        for place in stream.indices {
            let log = cut(stream, at: place)
            #expect(log.values == all && log.isCompleted, "cut at \(place)")
        }
        #expect(cut(stream, at: nil).values == all)
    }

    @Test(
        "A Content-Length of any number fails the signal and never traps",
        arguments: [
            ("-100", .malformed), ("-1", .malformed), ("-9223372036854775808", .malformed), ("+5", .malformed),
            ("", .malformed), ("5 5", .malformed), ("0x5", .malformed), ("1e3", .malformed), ("5\u{0}", .malformed),
            ("18446744073709551616", .malformed), ("99999999999999999999999999", .malformed),
            ("9223372036854775807", .frameTooLong), ("18446744073709551615", .frameTooLong),
            ("65536", .frameTooLong), ("5\r\nContent-Length: 6", .malformed), ("6", .incompleteFrame),
        ] as [(String, SocketError.Code)]
    )
    func hostile(_ length: String, _ code: SocketError.Code) {
        let stream = request(length, "hello")
        for place in stream.indices.map(Optional.some) + [nil] {
            let log = cut(stream, at: place)
            guard let error = log.failure else {
                Issue.record("\(length) cut at \(place as Any): \(log.values)")
                return
            }
            #expect(error.code == code && log.values.isEmpty, "\(length) cut at \(place as Any): \(error)")
        }
    }

    @Test func lines() async throws {
        let loop = try DispatchLoop(name: "lines")
        defer { loop.dispose() }
        let shout = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { connection in
            connection.send(lines: connection.lines.map { line in line.uppercased() })
        }
        let answer = try await withConnection(to: shout.localAddress, loop: loop) { received, send in
            try await send("one\r\ntwo\n")
            send.finish()
            var all: Bytes = ""
            for try await chunk in received { all = "\(all)\(chunk)" }
            return all
        }
        #expect(answer == "ONE\nTWO\n")
    }

    @Test func text() {
        let printed = Recorder<Bytes>()
        func print(_ bytes: Bytes) { printed.append(bytes) }

        let path = "/index.html"
        let request: Bytes = "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"

        let words = request.split(separator: " ", maxSplits: 2)
        if words[0] == "GET" { print(words[1]) }  // Prints "/index.html".
        let host = request.firstRange(of: "Host:").map { range in request[range.upperBound...] }

        #expect(printed.values == ["/index.html"])
        #expect(host?.trimmingASCIIWhitespace() == "a")

        #expect(Int(decimal: "42") == 42 && UInt(decimal: "-1") == nil && UInt16(hexadecimal: "ffff") == 65_535)
    }
}
