// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A server on a loop that the test runs turn by turn, with raw peers.
    final class HTTPFixture {
        let loop: any LoopScheduler
        let server: HTTPServer
        let failures = Recorder<HTTPFailure>()

        init(
            _ kind: LoopKind,
            on address: SocketAddress? = nil,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            clock: any LoopClock = MonotonicClock(),
            watermarks: Watermarks = Watermarks(),
            transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
            service: HTTPService
        ) throws {
            loop = try kind.make(clock: clock)
            // A test in virtual time must not depend on network latency. A Unix socket delivers bytes before the send returns.
            server = try HTTPServer(
                on: address ?? (clock is ManualClock ? abstractName() : ownLoopback()),
                loops: LoopGroup(loop),
                limits: limits,
                connections: connections,
                watermarks: watermarks,
                transformer: transformer,
                service: service
            )
            server.failures.subscribe(onValue: { [failures] in failures.append($0) })
        }

        convenience init(
            _ kind: LoopKind,
            on address: SocketAddress? = nil,
            limits: HTTPLimits = HTTPLimits(),
            clock: any LoopClock = MonotonicClock(),
            watermarks: Watermarks = Watermarks(),
            respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) throws {
            try self.init(
                kind,
                on: address,
                limits: limits,
                clock: clock,
                watermarks: watermarks,
                service: .function(respond)
            )
        }

        convenience init<Failure: Error>(
            _ kind: LoopKind,
            limits: HTTPLimits = HTTPLimits(),
            connections: ServerLimits = ServerLimits(),
            clock: any LoopClock = MonotonicClock(),
            watermarks: Watermarks = Watermarks(),
            signal: @escaping @Sendable (HTTPRequestMessage) -> Signal<HTTPResponseMessage, Failure>
        ) throws {
            try self.init(
                kind,
                limits: limits,
                connections: connections,
                clock: clock,
                watermarks: watermarks,
                service: .signal(signal)
            )
        }

        /// Stops the server, checks that the connections have left nothing on the loop, and disposes the loop.
        deinit {
            server.stop()
            loop.expectNothingLeftAndDispose { Issue.record($0) }
        }

        func connect(receiveBuffer: Int32 = 0) throws -> RawPeer {
            let count = server.totals.accepted
            let client = try RawPeer(to: server.localAddress, receiveBuffer: receiveBuffer)
            try loop.turns { server.totals.accepted > count }
            return client
        }

        /// Sends all bytes, while running turns.
        func send(_ text: String, from client: RawPeer) throws { try send(Array(text.utf8), from: client) }

        func send(_ bytes: [UInt8], from client: RawPeer) throws {
            try client.sendAll(bytes) { isDone in try loop.turns(until: isDone) }
        }

        /// Runs turns until the client has received this number of complete responses, and no byte more.
        func responses(
            _ count: Int,
            at client: RawPeer,
            toHead: Set<Int> = []
        ) throws -> [RawResponse] {
            var reader = RawResponses(toHead: toHead)
            var failure: Int32?
            try loop.turns {
                switch client.receive() {
                case .bytes(let bytes): reader.feed(bytes)
                case .nothing: break
                case .end: reader.end()
                case .failed(let code): failure = code
                }
                return reader.complete.count >= count || reader.hasEnded || failure != nil
            }
            if reader.complete.count < count {
                throw Unexpected(description: "the end, errno \(failure ?? 0), after \(reader)")
            }
            #expect(reader.complete.count == count && reader.rest.isEmpty, "\(reader)")
            return reader.complete
        }

        /// Sends a request and returns its response.
        func exchange(_ text: String, on client: RawPeer) throws -> RawResponse {
            try send(text, from: client)
            return try responses(1, at: client, toHead: text.hasPrefix("HEAD ") ? [0] : [])[0]
        }

        /// Runs turns until the client's stream has ended or failed.
        func receiveToEnd(at client: RawPeer) throws -> (text: String, end: RawPeer.Read) {
            let (all, end) = try client.receiveToEnd { isDone in try loop.turns(until: isDone) }
            return (String(decoding: all, as: UTF8.self), end)
        }

        /// Runs some turns in which nothing must arrive.
        func expectSilence(at client: RawPeer, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
            for _ in 0..<20 {
                try loop.turns(1)
                let read = client.receive()
                #expect(read == .nothing, sourceLocation: sourceLocation)
            }
        }
    }

    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// A response as a raw peer receives it.
    struct RawResponse: CustomStringConvertible {
        var status = 0
        var version = ""
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var trailers: [String: String] = [:]

        var text: String { String(decoding: body, as: UTF8.self) }
        var description: String {
            "\(status) \(fields.sorted { $0.key < $1.key }) \(body.count) bytes: \(text.prefix(200))"
        }
    }

    /// A small parser of responses that shares no code with the server's.
    struct RawResponses: CustomStringConvertible {
        private(set) var complete: [RawResponse] = []
        private(set) var rest: [UInt8] = []
        private(set) var hasEnded = false
        private let toHead: Set<Int>
        private var offset = 0

        init(toHead: Set<Int> = []) { self.toHead = toHead }

        var description: String { "\(complete) and \(String(decoding: rest.prefix(300), as: UTF8.self))" }

        mutating func feed(_ bytes: [UInt8]) {
            rest += bytes
            while next() {}
        }

        mutating func end() {
            hasEnded = true
            while next() {}
        }

        private mutating func next() -> Bool {
            offset = 0
            guard let line = takeLine() else { return false }
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let status = Int(parts[1]) else {
                Issue.record("no status line: \(line)")
                rest = []
                return false
            }
            var response = RawResponse(status: status, version: String(parts[0]))
            guard let fields = takeFields() else { return false }
            response.fields = fields
            if status < 200 || status == 204 || status == 304 || toHead.contains(complete.count) {
                return finish(response)
            }
            if fields["transfer-encoding"] == "chunked" {
                while true {
                    guard let line = takeLine(), let count = Int(line, radix: 16) else { return false }
                    if count == 0 { break }
                    guard rest.count >= offset + count + 2 else { return false }
                    response.body += rest[offset..<offset + count]
                    offset += count + 2
                }
                guard let trailers = takeFields() else { return false }
                response.trailers = trailers
                return finish(response)
            }
            if let length = fields["content-length"].flatMap({ Int($0) }) {
                guard rest.count >= offset + length else { return false }
                response.body = Array(rest[offset..<offset + length])
                offset += length
                return finish(response)
            }
            guard hasEnded else { return false }
            response.body = Array(rest[offset...])
            offset = rest.count
            return finish(response)
        }

        private mutating func finish(_ response: RawResponse) -> Bool {
            complete.append(response)
            rest.removeFirst(offset)
            return !rest.isEmpty
        }

        private mutating func takeLine() -> String? {
            guard let end = rest[offset...].firstIndex(of: 10), end > offset, rest[end - 1] == 13 else { return nil }
            defer { offset = end + 1 }
            return String(decoding: rest[offset..<end - 1], as: UTF8.self)
        }

        private mutating func takeFields() -> [String: String]? {
            var fields: [String: String] = [:]
            while let line = takeLine() {
                if line.isEmpty { return fields }
                guard let colon = line.firstIndex(of: ":") else {
                    Issue.record("no field: \(line)")
                    return nil
                }
                let name = line[..<colon].lowercased()
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                #expect(fields[name] == nil, "twice: \(line)")
                fields[name] = String(value)
            }
            return nil
        }
    }

    extension ManualClock {
        /// Lets time pass in steps. After each, the loop runs turns, and `body` is called with the number of the step.
        func pass(
            _ duration: Duration,
            step: Duration = .milliseconds(500),
            on loop: any LoopScheduler,
            _ body: (Int) throws -> Void = { _ in }
        ) throws {
            for number in 0..<Int(duration / step) {
                advance(by: step)
                try loop.turns(3)
                try body(number)
            }
        }
    }
#endif
