// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A raw client of a WebSocket server: it sends frames by hand and decodes what arrives.
    final class WebSocketPeer {
        let raw: RawPeer
        private let fixture: HTTPFixture
        private var decoder = FrameDecoder(expectsMask: false, allowsCompression: true, frameLimit: nil)
        private(set) var frames: [FrameDecoderTests.Frame] = []
        /// The head of the response.
        private(set) var response = ""
        private(set) var end = RawPeer.Read.nothing

        static let request = [
            "GET /chat HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "\r\n",
        ].joined(separator: "\r\n")

        /// Connects and performs the handshake. `early` is sent with it.
        init(_ fixture: HTTPFixture, fields: String = "", early: [UInt8] = [], receiveBuffer: Int32 = 0) throws {
            self.fixture = fixture
            raw = try fixture.connect(receiveBuffer: receiveBuffer)
            // "\r\n" is one character.
            let request = Self.request.dropLast(1) + fields + "\r\n"
            try fixture.send(Array(request.utf8) + early, from: raw)
            var received: [UInt8] = []
            var length: Int?
            try fixture.loop.turns {
                if case .bytes(let bytes) = raw.receive() { received += bytes }
                length = received.indices.first { received[$0...].starts(with: [13, 10, 13, 10]) }.map { $0 + 4 }
                return length != nil
            }
            let head = String(decoding: received[..<(length ?? 0)], as: UTF8.self)
            #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            response = head
            add(Array(received[(length ?? 0)...]))
        }

        static func frame(_ opcode: Opcode, _ payload: Bytes, isFinal: Bool = true) -> [UInt8] {
            let (head, _) = FrameEncoder(masks: true).frame(opcode, payload, isFinal: isFinal)
            return Array(head)
        }

        func send(_ opcode: Opcode, _ payload: Bytes = Bytes(), isFinal: Bool = true) throws {
            try fixture.send(Self.frame(opcode, payload, isFinal: isFinal), from: raw)
        }

        private func add(_ bytes: [UInt8]) {
            decoder.feed(Bytes(bytes))
            while let part = try? decoder.next() {
                if part.isFirst {
                    frames.append(FrameDecoderTests.Frame(opcode: part.header.opcode, isFinal: part.header.isFinal))
                }
                frames[frames.count - 1].payload += Array(part.payload)
                frames[frames.count - 1].isComplete = part.isLast
            }
        }

        /// Reads once.
        func receive() {
            let read = raw.receive()
            switch read {
            case .bytes(let bytes): add(bytes)
            case .nothing: break
            case .end, .failed: end = read
            }
        }

        /// Runs turns until this number of complete frames has arrived. Returns and removes them.
        func frames(_ count: Int) throws -> [FrameDecoderTests.Frame] {
            try fixture.loop.turns {
                receive()
                return frames.count >= count && frames[count - 1].isComplete
            }
            defer { frames.removeFirst(count) }
            return Array(frames[..<count])
        }

        /// Expects one frame.
        func expect(
            _ opcode: Opcode,
            _ payload: Bytes,
            _ sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let frame = try frames(1)[0]
            #expect(
                frame.opcode == opcode && frame.isFinal && Bytes(frame.payload) == payload,
                "\(frame)",
                sourceLocation: sourceLocation
            )
        }

        /// Runs turns until the server has ended the stream. Expects no further frame.
        func expectEnd(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
            try fixture.loop.turns {
                receive()
                return end != .nothing
            }
            #expect(end == .end && frames.isEmpty, "\(end) \(frames)", sourceLocation: sourceLocation)
        }
    }

    extension HTTPFixture {
        /// A server that answers each request with a WebSocket.
        convenience init<Value, Failure: Error>(
            webSocket kind: LoopKind,
            _ configuration: WebSocketConfiguration = WebSocketConfiguration(),
            clock: any LoopClock = MonotonicClock(),
            service: @escaping @Sendable (WebSocket) -> Signal<Value, Failure>
        ) throws {
            try self.init(kind, clock: clock) { request in .webSocket(request, configuration, service: service) }
        }
    }
#endif
