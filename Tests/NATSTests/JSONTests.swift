// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets
    import Testing

    @testable import ReactiveNATS

    extension NATSTests {
        @Suite struct JSONTests {
            @Test("The reader parses the text that the writer produces")
            func readsWhatItWrites() {
                let value = JSONValue.object([
                    "a": .array([
                        .null, .bool(true), .integer(WireInteger(-12)), .number(1.5), .object([:]), .array([]),
                    ]),
                    "b\"\\\n\u{1}": .string("é\u{1F600}\t\"\\"),
                ])
                #expect(JSONReader.value(of: value.text.utf8) == value)
            }

            @Test("The reader parses the responses of servers")
            func readsWhatServersWrite() {
                let text =
                    #" { "error" : { "code": 404, "err_code":10059, "description":"\u003e \ud83d\ude00" } , "x":1e3 } "#
                let value = JSONReader.value(of: text.utf8)
                #expect(value?["error"]?["err_code"]?.integer(in: 0...99_999) == 10059)
                #expect(value?["error"]?["description"]?.string == "> \u{1F600}")
                #expect(value?["x"] == .number(1000))
            }

            @Test(
                "The reader refuses invalid JSON",
                arguments: [
                    "", "{", "}", "[1,]", "{\"a\":}", "{\"a\"1}", "\"a", "tru", "1 2", "{a:1}", "[\"\\u12\"]",
                    "[\"\\ud83d\"]", "-",
                    "\"\\", String(repeating: "[", count: 100_000),
                ]
            )
            func refusesTheRest(text: String) {
                #expect(JSONReader.value(of: text.utf8) == nil)
            }
        }
    }
#endif
