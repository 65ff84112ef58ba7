// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct CollectedBodyTests {
        @Test("The chunks are joined", arguments: 0...3)
        func joined(_ count: Int) {
            var body = CollectedBody()
            for number in 0..<count { body.append(Bytes("chunk \(number),")) }
            #expect(body.bytes == Bytes(joining: (0..<count).map { Bytes("chunk \($0),") }))
        }

        @Test("A chunk of one byte does not retain the memory that it arrived in")
        func compacted() {
            let memory = Bytes([UInt8](repeating: 7, count: 65_536))
            var body = CollectedBody()
            body.append(memory[1_000..<1_001])
            // A part of other memory keeps its indices, a copy begins at 0.
            #expect(body.bytes == [7] && body.bytes.startIndex == 0)
            body.append(memory[2_000..<2_001])
            #expect(body.bytes == [7, 7])
        }
    }
#endif
