// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// The decoder of frames, as a client's or a server's peer would feed it.
    @Suite struct FrameDecoderTests {
        /// Decodes bytes that are fed in these chunks. Joins the parts of each frame.
        static func decode(
            _ chunks: [[UInt8]],
            expectsMask: Bool = false,
            allowsCompression: Bool = false,
            frameLimit: Int? = nil
        ) -> (frames: [Frame], error: WebSocketError?) {
            var decoder = FrameDecoder(
                expectsMask: expectsMask,
                allowsCompression: allowsCompression,
                frameLimit: frameLimit
            )
            var frames: [Frame] = []
            do throws(WebSocketError) {
                for chunk in chunks {
                    decoder.feed(Bytes(chunk))
                    while let part = try decoder.next() {
                        if part.isFirst {
                            frames.append(Frame(opcode: part.header.opcode, isFinal: part.header.isFinal))
                        }
                        // The payload of a control frame is returned at once.
                        #expect(!part.header.opcode.isControl || part.isFirst && part.isLast)
                        frames[frames.count - 1].payload += Array(part.payload)
                        frames[frames.count - 1].isComplete = part.isLast
                    }
                }
                return (frames, nil)
            } catch {
                let first = error
                do throws(WebSocketError) {
                    _ = try decoder.next()
                    Issue.record("a second call does not fail")
                } catch {
                    #expect(error.message == first.message)
                }
                return (frames, first)
            }
        }

        struct Frame: Equatable {
            var opcode: Opcode
            var isFinal: Bool
            var payload: [UInt8] = []
            var isComplete = false
        }

        @Test("The examples of RFC 6455 section 5.7 are decoded")
        func examples() {
            let hello = Array("Hello".utf8)
            let complete = Frame(opcode: .text, isFinal: true, payload: hello, isComplete: true)
            #expect(Self.decode([[0x81, 0x05] + hello]).frames == [complete])
            let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
            #expect(Self.decode([masked], expectsMask: true).frames == [complete])
            let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
            #expect(
                Self.decode([fragments]).frames == [
                    Frame(opcode: .text, isFinal: false, payload: [0x48, 0x65, 0x6C], isComplete: true),
                    Frame(opcode: .continuation, isFinal: true, payload: [0x6C, 0x6F], isComplete: true),
                ]
            )
            let ping = Frame(opcode: .ping, isFinal: true, payload: hello, isComplete: true)
            #expect(Self.decode([[0x89, 0x05] + hello]).frames == [ping])
            for length in [256, 65_536] {
                let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
                let head: [UInt8] = length == 256 ? [0x82, 0x7E, 0x01, 0x00] : [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]
                let frame = Frame(opcode: .binary, isFinal: true, payload: payload, isComplete: true)
                #expect(Self.decode([head + payload]).frames == [frame])
            }
        }

        @Test(
            "An invalid frame is a protocol violation",
            arguments: [
                [0x91, 0x00], [0xA1, 0x00], [0xC1, 0x00],  // Reserved bits.
                [0x83, 0x00], [0x87, 0x00], [0x8B, 0x00], [0x8F, 0x00],  // Reserved opcodes.
                [0x09, 0x00], [0x08, 0x00], [0x0A, 0x00],  // Fragmented control frames.
                [0x89, 0x7E, 0x00, 0x7E], [0x88, 0x7F],  // Long control frames.
                [0x81, 0x80],  // A masked frame of a server.
                [0x81, 0x7E, 0x00, 0x7D], [0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],  // Lengths that are not minimal.
                [0x81, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0],  // A length with 64 bits.
                [0x80, 0x00], [0x00, 0x00],  // Nothing to continue.
                [0x01, 0x00, 0x81, 0x00], [0x01, 0x00, 0x02, 0x00],  // A message inside a message.
            ] as [[UInt8]]
        )
        func invalid(_ bytes: [UInt8]) {
            #expect(Self.decode([bytes]).error?.code == .protocolViolation)
            // The error does not depend on the chunks.
            let single = Self.decode(bytes.map { [$0] })
            #expect(single.error?.message == Self.decode([bytes]).error?.message)
        }

        @Test("A client must mask its frames")
        func unmasked() {
            #expect(Self.decode([[0x81, 0x00]], expectsMask: true).error?.code == .protocolViolation)
        }

        @Test("RSV1 is allowed in the first frame of a message if compression has been negotiated")
        func compressionBit() {
            #expect(Self.decode([[0xC1, 0x00]], allowsCompression: true).error == nil)
            for bytes: [UInt8] in [[0xC9, 0x00], [0x01, 0x00, 0xC0, 0x00], [0x41, 0x00, 0x40, 0x00], [0xE1, 0x00]] {
                #expect(Self.decode([bytes], allowsCompression: true).error?.code == .protocolViolation)
            }
        }

        @Test("A frame above the limit is refused when its head has arrived")
        func limit() {
            let exact = Self.decode([[0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 1, count: 256)], frameLimit: 256)
            #expect(exact.error == nil && exact.frames.count == 1)
            #expect(Self.decode([[0x82, 0x7E, 0x01, 0x01]], frameLimit: 256).error?.code == .messageTooLarge)
            let huge: [UInt8] = [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            #expect(Self.decode([huge], frameLimit: 256).error?.code == .messageTooLarge)
            // A control frame has its own limit.
            #expect(Self.decode([[0x89, 0x02, 0, 0]], frameLimit: 1).error == nil)
        }

        @Test("A control frame of 125 bytes, which is the maximum, is encoded")
        func longestControlFrames() async {
            await #expect(processExitsWith: .success) {
                let encoder = FrameEncoder(masks: true)
                // Two bytes of a head, a masking key, and the payload.
                #expect(encoder.control(.pong, Bytes(repeatElement(7, count: 125))).count == 131)
                let close = WebSocketClose(.normal, reason: String(repeating: "a", count: 200))
                #expect(encoder.close(close).count == 131)
            }
        }

        /// A stream with every kind of frame.
        private static func stream(masked: Bool) -> [UInt8] {
            let encoder = FrameEncoder(masks: masked)
            let frames: [(Opcode, Int, Bool)] = [
                (.text, 0, true), (.text, 5, false), (.ping, 3, true), (.continuation, 0, false), (.pong, 0, true),
                (.continuation, 130, true), (.binary, 70_000, true), (.ping, 125, true), (.close, 2, true),
            ]
            return frames.flatMap { opcode, count, isFinal in
                let payload = Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
                let (head, rest) = encoder.frame(opcode, payload, isFinal: isFinal)
                return Array(head) + Array(rest ?? Bytes())
            }
        }

        @Test("The frames do not depend on the chunks", arguments: [true, false])
        func splits(_ masked: Bool) {
            let stream = Self.stream(masked: masked)
            let whole = Self.decode([stream], expectsMask: masked)
            #expect(whole.error == nil && whole.frames.count == 9 && whole.frames.allSatisfy(\.isComplete))
            // Every split near the beginning and the end, where the heads are.
            for cut in Array(1..<200) + Array(stream.count - 200..<stream.count) {
                let parts = [Array(stream[..<cut]), Array(stream[cut...])]
                #expect(Self.decode(parts, expectsMask: masked).frames == whole.frames)
            }
            #expect(Self.decode(stream.map { [$0] }, expectsMask: masked).frames == whole.frames)
        }

        @Test("Random bytes never trap, and their result does not depend on the chunks")
        func random() {
            var generator = SplitMix64(seed: 27)
            let streams = [false, true].map { Array(Self.stream(masked: $0).prefix(300)) }
            for _ in 0..<2_000 {
                let masked = Bool.random(using: &generator)
                var bytes = Array(streams[masked ? 1 : 0].prefix(Int.random(in: 1...300, using: &generator)))
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                        in: .min ... .max,
                        using: &generator
                    )
                }
                let whole = Self.decode([bytes], expectsMask: masked, frameLimit: 100_000)
                var (chunks, rest) = ([[UInt8]](), bytes[...])
                while !rest.isEmpty {
                    let count = Int.random(in: 1...min(rest.count, 40), using: &generator)
                    chunks.append(Array(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                }
                let split = Self.decode(chunks, expectsMask: masked, frameLimit: 100_000)
                #expect(split.frames == whole.frames)
                #expect(split.error?.message == whole.error?.message)
            }
        }
    }
#endif
