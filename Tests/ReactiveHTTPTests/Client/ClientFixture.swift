// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A listening socket whose connections the test answers byte by byte.
    final class RawServer: Sendable {
        private let listener: OwnedDescriptor
        let address: SocketAddress

        init(backlog: Int32 = 64) {
            let (descriptor, address) = RawSocket.listener(on: ownLoopback(), backlog: backlog)
            Descriptor.setBlocking(descriptor, false)
            listener = OwnedDescriptor(descriptor)
            self.address = address
        }

        var url: String { "http://\(address)" }

        func accept() -> RawPeer? { RawPeer.waiting(at: listener.number) }

        func close() { listener.close() }
    }

    /// What has become of one request.
    final class Answer: Sendable {
        let subscription = SignalSubscription()
        private let result = Box<Result<HTTPResponseMessage, HTTPError>?>(nil)
        private let terminations = Box(0)
        private let bytes = Box<[UInt8]>([])
        private let bodyEnd = Box<Termination<HTTPError>?>(nil)
        let bodySubscription = SignalSubscription()
        private let trailerFields = Box<HTTPFields?>(nil)

        /// - Parameter reads: Whether the body is read as soon as the response arrives.
        init(_ signal: Signal<HTTPResponseMessage, HTTPError>, reads: Bool = true) {
            signal.subscribe(
                in: subscription,
                onValue: { [self] response in
                    if result.value != nil { Issue.record("a second response") }
                    result.value = .success(response)
                    if reads { read() }
                },
                onTermination: { [self] termination in
                    terminations.increment()
                    if case .failed(let error) = termination { result.value = .failure(error) }
                }
            )
        }

        /// Subscribes to the body, and releases the response.
        func read() {
            guard case .success(let response) = result.value else { return }
            response.body.signal.subscribe(
                in: bodySubscription,
                onValue: { [self] chunk in bytes.update { $0 += Array(chunk) } },
                onTermination: { [self] termination in
                    trailerFields.value = response.body.trailers
                    bodyEnd.value = termination
                }
            )
            var bare = response
            bare.body = .empty
            result.value = .success(bare)
        }

        /// Releases the body without reading it.
        func drop() {
            guard case .success(var response) = result.value else { return }
            response.body = .empty
            result.value = .success(response)
        }

        var response: HTTPResponseMessage? { if case .success(let response) = result.value { response } else { nil } }
        var status: Int? { response?.head.status.code }
        var error: HTTPError? { if case .failure(let error) = result.value { error } else { nil } }
        var hasHead: Bool { result.value != nil }
        var terminationCount: Int { terminations.value }
        var isComplete: Bool { error != nil || bodyEnd.value != nil }
        var text: String { String(decoding: bytes.value, as: UTF8.self) }
        var body: [UInt8] { bytes.value }
        var trailers: HTTPFields? { trailerFields.value }
        /// The failure of the body.
        var bodyError: HTTPError? { if case .failed(let error) = bodyEnd.value { error } else { nil } }
        var bodyCompleted: Bool { if case .completed = bodyEnd.value { true } else { false } }
    }

    /// A transformer that changes no byte, and fails if `check` throws for sent bytes.
    struct Unchanged: ConnectionTransformer {
        var check: @Sendable (Bytes) throws(SocketError) -> Void = { _ in }

        func receive(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toApplication(bytes) }

        func send(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
            try check(bytes)
            out.toPeer(bytes)
        }
    }

    /// A client on a loop that the test runs turn by turn, with a raw server.
    final class ClientFixture {
        let loop: any LoopScheduler
        let client: HTTPClient
        let raw = RawServer()
        private var servers: [HTTPServer] = []

        init(
            _ kind: LoopKind,
            clock: any LoopClock = MonotonicClock(),
            _ configure: (inout HTTPClientConfiguration) -> Void = { _ in }
        ) throws {
            loop = try kind.make(clock: clock)
            var configuration = HTTPClientConfiguration()
            configure(&configuration)
            client = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
        }

        /// Stops the client and the servers, checks that they have left nothing on the loop, and disposes the loop.
        deinit {
            client.stop()
            for server in servers { server.stop() }
            loop.expectNothingLeftAndDispose { Issue.record($0) }
        }

        /// A server of this project on the same loop.
        func serve(limits: HTTPLimits = HTTPLimits(), _ service: HTTPService) throws -> (
            server: HTTPServer, url: String
        ) {
            let server = try HTTPServer(
                on: ownLoopback(),
                loops: LoopGroup(loop),
                limits: limits,
                service: service
            )
            servers.append(server)
            return (server, "http://\(server.localAddress)")
        }

        func send(_ request: HTTPRequestMessage, reads: Bool = true) -> Answer {
            Answer(client.send(request), reads: reads)
        }

        /// Sends a request to the raw server.
        func get(_ path: String = "/", fields: HTTPFields = HTTPFields(), reads: Bool = true) -> Answer {
            send(.get(raw.url + path, fields: fields), reads: reads)
        }

        /// Runs turns until the request and its body have ended.
        func finish(_ answer: Answer, file: StaticString = #fileID, line: UInt = #line) throws {
            try loop.turns(file: file, line: line) { answer.isComplete }
        }

        /// Runs turns until the raw server has another connection.
        func accept(file: StaticString = #fileID, line: UInt = #line) throws -> RawPeer {
            var peer: RawPeer?
            try loop.turns(file: file, line: line) {
                peer = raw.accept()
                return peer != nil
            }
            return try #require(peer)
        }

        /// Runs turns until the raw server has another connection, and has received the head of its request.
        func acceptRequest(file: StaticString = #fileID, line: UInt = #line) throws -> RawPeer {
            let peer = try accept(file: file, line: line)
            try receive(at: peer, file: file, line: line)
            return peer
        }

        /// Runs turns until the peer has received something that ends with `end`, and returns all of it.
        @discardableResult
        func receive(
            at peer: RawPeer,
            until end: String = "\r\n\r\n",
            file: StaticString = #fileID,
            line: UInt = #line
        ) throws -> String {
            var text = ""
            var failure: RawPeer.Read?
            try loop.turns(file: file, line: line) {
                switch peer.receive() {
                case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
                case .nothing: break
                case let other: failure = other
                }
                return text.hasSuffix(end) || failure != nil
            }
            if let failure { throw Unexpected(description: "\(file):\(line): \(failure) after \(text)") }
            return text
        }

        func answer(_ text: String, from peer: RawPeer) throws {
            try peer.sendAll(Array(text.utf8)) { isDone in try loop.turns(until: isDone) }
        }

        /// Runs turns until the client has ended the connection of the peer.
        func expectEnd(at peer: RawPeer) throws -> RawPeer.Read {
            try peer.receiveToEnd { isDone in try loop.turns(until: isDone) }.end
        }

        /// Runs turns until no connection is left. The peers must be closed.
        func expectNoConnections(file: StaticString = #fileID, line: UInt = #line) throws {
            try loop.turns(file: file, line: line) { client.connectionCount == 0 }
        }

        /// Advances the clock in steps, and runs turns after each.
        func advance(
            _ clock: ManualClock,
            by duration: Duration,
            step: Duration = .milliseconds(250),
            _ body: (Int) throws -> Void = { _ in }
        ) throws {
            try clock.pass(duration, step: step, on: loop, body)
        }

        static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    }
#endif
