// SPDX-License-Identifier: MIT
#if TLS
    import LoopTestSupport
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    /// Misuses of the API. Each key is the sentence that its misuse prints.
    private let misuses: [String: @Sendable () throws -> Void] = [
        "a TLS server needs a certificate: set certificateChain and privateKey of its TLSConfiguration": {
            _ = try TLSContext().server
        },
        "cannot read the transformer (tlsInfo) of a connection here: read it in work of loop far": {
            let loop = try LoopKind.dispatch.make(name: "far", thread: .owned)
            let adopted = Box<Connection?>(nil)
            try loop.sync { adopted.value = try? Connection(adopting: Descriptor.sockets().near, loop: loop) }
            _ = adopted.value?.tlsInfo
        },
    ]

    @Suite struct MisuseTests {
        @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
        func sentence(_ sentence: String) async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
                try misuses[sentence]!()
            }
            let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains(sentence))
        }
    }
#endif
