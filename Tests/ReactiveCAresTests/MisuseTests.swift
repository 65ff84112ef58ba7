// SPDX-License-Identifier: MIT
#if CAres
    import LoopTestSupport
    import ReactiveCAres
    import ReactiveSockets
    import Testing

    /// Misuses of the API. Each key is the sentence that its misuse prints.
    private let misuses: [String: @Sendable () throws -> Void] = [
        "/a cannot be a name server: name an IPv4 or IPv6 address without a scope": {
            var settings = AresSettings()
            settings.servers = [try .unix(path: "/a")]
            _ = AresResolver(loop: try LoopKind.dispatch.make(), settings: settings)
        }
    ]

    extension CAres {
        @Suite struct MisuseTests {
            @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
            func sentence(_ sentence: String) async {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [sentence] in
                    try misuses[sentence]!()
                }
                let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
                #expect(said.contains(sentence))
            }
        }
    }
#endif
