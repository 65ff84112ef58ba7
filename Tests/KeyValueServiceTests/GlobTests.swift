// SPDX-License-Identifier: MIT
import ReactiveSockets
import Testing

@testable import KeyValueService

@Suite struct GlobTests {
    @Test(
        "Patterns match the same texts as in Redis",
        arguments: [
            ("*", "", false), ("**", "", false), ("*", "abc", true), ("a*c", "abbc", true), ("a*c", "abcd", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false), ("h[ae]llo", "hello", true), ("h[^e]llo", "hello", false),
            ("h[a-c]llo", "hbllo", true),
            ("h[c-a]llo", "hbllo", true), ("a\\*c", "a*c", true), ("a\\*c", "abc", false), ("[abc", "b", true),
            ("", "", true), ("", "a", false), ("**a**", "bab", true), ("*a*b*c*", "xaybzc", true), ("[\\]]", "]", true),
        ] as [(Bytes, Bytes, Bool)]
    )
    func matching(_ pattern: Bytes, _ text: Bytes, _ matches: Bool) {
        #expect(Glob(pattern).matches(text) == matches)
    }

    @Test("Matching a pattern of stars takes at most the product of the lengths")
    func cost() {
        let pattern = Bytes(String(repeating: "*a", count: 2000) + "b")
        #expect(!Glob(pattern).matches(Bytes(String(repeating: "a", count: 4000))))
    }
}
