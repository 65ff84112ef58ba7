// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The negotiation of permessage-deflate.
    @Suite struct DeflateAgreementTests {
        /// The answer to an offer, or `nil`.
        private static func answer(_ offer: String, _ change: (inout WebSocketCompression) -> Void = { _ in })
            -> String?
        {
            var settings = WebSocketCompression()
            change(&settings)
            return WebSocketExtension.list(offer).flatMap { DeflateAgreement.accept($0, settings)?.answer }
        }

        @Test(
            "A server answers each parameter of an offer",
            arguments: [
                ("permessage-deflate", "permessage-deflate"),
                ("x-webkit-deflate-frame, permessage-deflate; client_max_window_bits", "permessage-deflate"),
                (
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                ),
                (
                    "permessage-deflate; server_max_window_bits=10; client_max_window_bits=\"11\"",
                    "permessage-deflate; server_max_window_bits=10; client_max_window_bits=11"
                ),
                // The first offer is impossible, so the second one counts.
                ("permessage-deflate; server_max_window_bits=8, permessage-deflate", "permessage-deflate"),
                ("permessage-deflate; unknown, permessage-deflate", "permessage-deflate"),
            ]
        )
        func offers(_ offer: String, _ expected: String) { #expect(Self.answer(offer) == expected) }

        @Test(
            "A server declines invalid offers",
            arguments: [
                "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
                "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=010",
                "permessage-deflate; client_max_window_bits=16", "permessage-deflate; server_no_context_takeover=1",
                "permessage-deflate; client_no_context_takeover; client_no_context_takeover", "permessage-bzip2", "",
            ]
        )
        func declined(_ offer: String) { #expect(Self.answer(offer) == nil) }

        @Test("The settings of a server reduce what it answers")
        func settings() {
            let change: (inout WebSocketCompression) -> Void = { settings in
                settings.keepsSendContext = false
                settings.keepsReceiveContext = false
                settings.sendWindowBits = 12
                settings.receiveWindowBits = 9
            }
            let takeover = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            #expect(Self.answer("permessage-deflate", change) == "\(takeover); server_max_window_bits=12")
            #expect(
                Self.answer("permessage-deflate; client_max_window_bits", change)
                    == "\(takeover); server_max_window_bits=12; client_max_window_bits=9"
            )
        }

        @Test(
            "A client refuses parameters that it has not offered",
            arguments: [
                "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits=7",
                "permessage-deflate; unknown",
                "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            ]
        )
        func unconfirmed(_ answer: String) throws {
            let answer = try #require(WebSocketExtension.list(answer)?.first)
            #expect(DeflateAgreement.confirm(answer, WebSocketCompression()) == nil)
        }
    }
#endif
