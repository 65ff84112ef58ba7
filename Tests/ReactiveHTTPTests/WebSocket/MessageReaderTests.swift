// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Messages, close frames and limits, without a connection.
    @Suite struct MessageReaderTests {
        /// Reads all events. Joins the fragments of each message.
        static func read(
            _ chunks: [[UInt8]],
            messageLimit: Int? = nil,
            compression: DeflateParameters? = nil
        ) -> (events: [ReaderEvent], error: WebSocketError?) {
            var reader = MessageReader(
                expectsMask: false,
                frameLimit: nil,
                messageLimit: messageLimit,
                compression: compression
            )
            // The reader keeps no input that it does not need, whatever the input was.
            defer { #expect(reader.unreadCount == 0) }
            var events: [ReaderEvent] = []
            do throws(WebSocketError) {
                for chunk in chunks {
                    reader.feed(Bytes(chunk))
                    while let event = try reader.next() {
                        if case .fragment(let new) = event, !new.isFirst {
                            guard
                                case .fragment(let old)? = events.last(where: {
                                    if case .fragment = $0 { true } else { false }
                                })
                            else { continue }
                            events.removeAll { $0 == .fragment(old) }
                            let bytes = Bytes(joining: [old.bytes, new.bytes])
                            events.append(
                                .fragment(WebSocketFragment(old.kind, bytes, isFirst: true, isLast: new.isLast))
                            )
                        } else {
                            events.append(event)
                        }
                    }
                }
                return (events, nil)
            } catch {
                return (events, error)
            }
        }

        private static func text(_ bytes: Bytes) -> ReaderEvent {
            .fragment(WebSocketFragment(.text, bytes, isFirst: true, isLast: true))
        }

        @Test("Control frames arrive between the fragments of a message")
        func fragments() {
            let bytes: [UInt8] = [0x01, 1, 0x61, 0x89, 1, 0x70, 0x00, 0, 0x8A, 0, 0x80, 1, 0x62]
            let expected: [ReaderEvent] = [.ping("p"), .pong(Bytes()), Self.text("ab")]
            #expect(Self.read([bytes]).events == expected)
            #expect(Self.read(bytes.map { [$0] }).events == expected)
        }

        @Test("Empty messages have one fragment")
        func empty() {
            #expect(Self.read([[0x81, 0]]).events == [Self.text("")])
            #expect(Self.read([[0x01, 0, 0x00, 0, 0x80, 0]]).events == [Self.text("")])
        }

        @Test(
            "A Close frame is the last event",
            arguments: [
                ([], WebSocketClose(.noStatus)), ([0x03, 0xE8], WebSocketClose(.normal)),
                ([0x0F, 0xA0, 0x62, 0x79, 0x65], WebSocketClose(WebSocketCloseCode(rawValue: 4000), reason: "bye")),
            ] as [([UInt8], WebSocketClose)]
        )
        func close(_ payload: [UInt8], _ close: WebSocketClose) {
            let bytes = [0x88, UInt8(payload.count)] + payload + [0xFF, 0xFF]
            #expect(Self.read([bytes]).events == [.close(close)])
            #expect(Self.read([bytes]).error == nil)
        }

        @Test(
            "Invalid Close frames are refused",
            arguments: [
                ([0x03], .protocolViolation), ([0x00, 0x00], .protocolViolation), ([0x03, 0xE7], .protocolViolation),
                ([0x03, 0xEC], .protocolViolation), ([0x03, 0xED], .protocolViolation),
                ([0x03, 0xEE], .protocolViolation),
                ([0x03, 0xF7], .protocolViolation), ([0x0B, 0xB7], .protocolViolation),
                ([0x13, 0x88], .protocolViolation),
                ([0xFF, 0xFF], .protocolViolation), ([0x03, 0xE8, 0xFF], .invalidText),
            ] as [([UInt8], WebSocketError.Code)]
        )
        func invalidClose(_ payload: [UInt8], _ code: WebSocketError.Code) {
            #expect(Self.read([[0x88, UInt8(payload.count)] + payload + [0x81, 0]]).error?.code == code)
        }

        @Test("A reason that is too long for a Close frame is cut at the end of a character")
        func longReasons() {
            let (one, two) = (String(repeating: "a", count: 124), String(repeating: "é", count: 62))
            #expect(WebSocketClose(.normal, reason: one).reason == one.dropLast())
            #expect(WebSocketClose(.normal, reason: two).reason == two.dropLast())
            let longest = String(one.dropLast())
            #expect(WebSocketClose(.normal, reason: longest).reason == longest)
        }

        @Test("Invalid text is refused at its first impossible byte, even across fragments")
        func invalidText() {
            #expect(Self.read([[0x81, 3, 0x61, 0xC0]]).error?.code == .invalidText)
            #expect(Self.read([[0x01, 1, 0xE2, 0x80, 2, 0x82]]).error == nil)
            #expect(Self.read([[0x01, 1, 0xE2, 0x00, 5, 0x41]]).error?.code == .invalidText)
            #expect(Self.read([[0x81, 1, 0xE2]]).error?.code == .invalidText)
            #expect(Self.read([[0x82, 1, 0xE2]]).error == nil)
        }

        @Test("A message above the limit is refused, in one frame or in many")
        func limit() {
            let (small, large) = ([UInt8](repeating: 0, count: 100), [UInt8](repeating: 0, count: 101))
            #expect(Self.read([[0x82, 100] + small], messageLimit: 100).error == nil)
            #expect(Self.read([[0x82, 101] + large], messageLimit: 100).error?.code == .messageTooLarge)
            // The announced length suffices.
            #expect(Self.read([[0x82, 101, 0]], messageLimit: 100).error?.code == .messageTooLarge)
            let many = [0x02, 60] + small.prefix(60) + [0x80, 41] + small.prefix(41)
            #expect(Self.read([many], messageLimit: 100).error?.code == .messageTooLarge)
            #expect(Self.read([many], messageLimit: 101).error == nil)
        }

        // MARK: Compression

        /// A compressed message in one frame.
        private static func frame(_ payload: Bytes, opcode: UInt8 = 0xC1) -> [UInt8] {
            Array(FrameEncoder(masks: false).encode(FrameHeader(opcode: .text, length: payload.count), payload))
                .enumerated().map { $0.offset == 0 ? opcode : $0.element }
        }

        @Test("The examples of RFC 7692 section 7.2.3 are decompressed")
        func compressed() {
            let hello = Self.text("Hello")
            let plain: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
            let parameters = DeflateParameters()
            #expect(Self.read([plain], compression: parameters).events == [hello])
            let split: [UInt8] = [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00]
            #expect(Self.read([split], compression: parameters).events == [hello])
            #expect(Self.read(split.map { [$0] }, compression: parameters).events == [hello])
            // With context takeover the second message refers to the first.
            let second: [UInt8] = [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
            #expect(Self.read([plain + second], compression: parameters).events == [hello, hello])
            // A stored block, a final block, and two blocks.
            let stored: [UInt8] = [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
            let final: [UInt8] = [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
            let two: [UInt8] = [
                0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
            ]
            for bytes in [stored, final, two] {
                #expect(Self.read([bytes], compression: parameters).events == [hello])
                #expect(Self.read([bytes + second.map { $0 }], compression: parameters).events.first == hello)
            }
        }

        @Test("The bytes of a compressed frame do not wait for the next frame")
        func compressedFrame() {
            // The end of the deflate block is in the next frame.
            let sevens: [UInt8] = [0x42, 0x04, 0x62, 0x67, 0x1F, 0x05]
            let bytes = Bytes(repeatElement(7, count: 260))
            let expected = ReaderEvent.fragment(WebSocketFragment(.binary, bytes, isFirst: true, isLast: false))
            #expect(Self.read([sevens], compression: DeflateParameters()).events == [expected])
        }

        @Test("What the compressor writes is read", arguments: [true, false], [0, 1, 1_000, 300_000])
        func roundTrip(_ keepsContext: Bool, _ count: Int) throws {
            let text = Bytes(String(repeating: "{\"price\": 17}", count: count / 13 + 1).prefix(count).description)
            let deflater = try #require(Deflater(level: 6, windowBits: 15, memoryLevel: 8))
            let parameters = DeflateParameters(windowBits: 15, keepsContext: keepsContext)
            var stream: [UInt8] = []
            for _ in 0..<3 {
                if keepsContext {
                    stream += Self.frame(deflater.compress(text))
                } else {
                    let fresh = try #require(Deflater(level: 6, windowBits: 15, memoryLevel: 8))
                    stream += Self.frame(fresh.compress(text))
                }
            }
            let (events, error) = Self.read([stream], compression: parameters)
            #expect(error == nil && events.allSatisfy { $0 == Self.text(text) })
            #expect(count == 0 || events.count >= 1)
        }

        @Test("Random bytes are compressed into more bytes, and come back")
        func incompressible() throws {
            var generator = SplitMix64(seed: 3)
            let bytes = Bytes((0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            let deflater = try #require(Deflater(level: 9, windowBits: 9, memoryLevel: 1))
            let stream = Self.frame(deflater.compress(bytes), opcode: 0xC2)
            let (events, error) = Self.read([stream], compression: DeflateParameters(windowBits: 9))
            #expect(error == nil)
            #expect(events == [.fragment(WebSocketFragment(.binary, bytes, isFirst: true, isLast: true))])
        }

        @Test("A message that grows above the limit is refused while it is decompressed")
        func bomb() throws {
            let deflater = try #require(Deflater(level: 9, windowBits: 15, memoryLevel: 8))
            let bomb = deflater.compress(Bytes([UInt8](repeating: 0, count: 64 << 20)))
            #expect(bomb.count < 100_000)
            var reader = MessageReader(
                expectsMask: false,
                frameLimit: nil,
                messageLimit: 1 << 20,
                compression: DeflateParameters()
            )
            reader.feed(Bytes(Self.frame(bomb, opcode: 0xC2)))
            var count = 0
            let error = #expect(throws: WebSocketError.self) {
                while case .fragment(let fragment)? = try reader.next() {
                    // One buffer at a time.
                    #expect(fragment.bytes.count <= Inflater.outputLimit)
                    count += fragment.bytes.count
                }
            }
            #expect(error?.code == .messageTooLarge && count <= 1 << 20)
        }

        @Test("Data that is no DEFLATE stream is a protocol violation")
        func noStream() {
            let bytes: [UInt8] = [0xC1, 0x03, 0xFF, 0xFF, 0xFF]
            #expect(Self.read([bytes], compression: DeflateParameters()).error?.code == .protocolViolation)
        }
    }
#endif
