// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The validator of text that arrives in parts, compared with the standard library.
    @Suite struct UTF8ValidatorTests {
        /// Whether each part is accepted, and whether the text ends at the end of a character.
        static func validate(_ parts: [[UInt8]]) -> (isAccepted: Bool, isComplete: Bool) {
            var validator = UTF8Validator()
            for part in parts {
                guard part.withUnsafeBytes({ validator.accepts($0) }) else { return (false, false) }
            }
            return (true, validator.isAtBoundary)
        }

        @Test(
            "All sequences of two bytes, and all that begin a longer character, are judged as by the standard library"
        )
        func pairs() {
            var wrong: [[UInt8]] = []
            for first in UInt8.min...UInt8.max {
                for second in UInt8.min...UInt8.max {
                    for rest: [UInt8] in [[], [0x80], [0x80, 0x80], [0xBF, 0xBF], [0x80, 0x41]] {
                        let bytes = [first, second] + rest
                        let isValid = String(validating: bytes, as: UTF8.self) != nil
                        let whole = Self.validate([bytes])
                        if whole != Self.validate(bytes.map { [$0] }) || (whole == (true, true)) != isValid {
                            wrong.append(bytes)
                        }
                    }
                }
            }
            #expect(wrong == [])
        }

        @Test(
            "The text is rejected at the first byte that no valid text can contain",
            arguments: [
                ([0xC0], 0), ([0xC1], 0), ([0x80], 0), ([0xF5], 0), ([0xFF], 0), ([0xE0, 0x9F], 1), ([0xED, 0xA0], 1),
                ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1), ([0xE2, 0x82, 0x41], 2), ([0xF0, 0x9F, 0x98, 0xC0], 3),
            ] as [([UInt8], Int)]
        )
        func early(_ bytes: [UInt8], _ position: Int) {
            #expect(Self.validate([Array(bytes[..<position])]).isAccepted)
            #expect(!Self.validate([Array(bytes[...position])]).isAccepted)
        }

        @Test("Long text is accepted in any split, and needs its last byte")
        func long() {
            let text = Array(String(repeating: "plain ASCII text, κόσμε, 😀. ", count: 8).utf8)
            for cut in 0...text.count {
                #expect(Self.validate([Array(text[..<cut]), Array(text[cut...])]) == (true, true))
            }
            #expect(Self.validate([text + [0xF0, 0x9F, 0x98]]) == (true, false))
        }
    }
#endif
