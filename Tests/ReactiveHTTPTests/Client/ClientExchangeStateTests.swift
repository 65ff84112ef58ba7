// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The transitions of a client's connection, without sockets.
    @Suite struct ClientExchangeStateTests {
        @Test("A complete exchange leaves the connection usable")
        func complete() {
            var state = ClientExchangeState()
            #expect(state.isIdle && state.keepsAlive && !state.isReused)
            state.begin(keepsAlive: true, hasBody: true, awaitsContinue: false)
            #expect(state.isSending && state.response == .awaited)
            state.endRequest()
            state.receiveBytes()
            state.receiveHead(keepsAlive: true)
            state.receiveEnd()
            #expect(state.isIdle && state.keepsAlive)
            state.begin(keepsAlive: true, hasBody: false, awaitsContinue: false)
            #expect(state.isReused && !state.hasReceived && !state.isSending)
        }

        @Test("A request that stops, or either side that closes, ends the connection")
        func incomplete() {
            var stopped = ClientExchangeState()
            stopped.begin(keepsAlive: true, hasBody: true, awaitsContinue: true)
            let continues = [stopped.continueRequest(), stopped.continueRequest()]
            #expect(continues == [true, false])
            stopped.receiveHead(keepsAlive: true)
            stopped.receiveEnd()
            #expect(stopped.isIdle && !stopped.keepsAlive)
            for (request, response) in [(false, true), (true, false)] {
                var state = ClientExchangeState()
                state.begin(keepsAlive: request, hasBody: false, awaitsContinue: false)
                state.receiveHead(keepsAlive: response)
                state.receiveEnd()
                #expect(!state.keepsAlive)
            }
        }

        @Test("The number of informational responses is bounded")
        func informational() {
            var state = ClientExchangeState()
            state.begin(keepsAlive: true, hasBody: false, awaitsContinue: false)
            let allowed = (0..<40).count { _ in state.receiveInformational() }
            #expect(allowed == ClientExchangeState.informationalLimit)
        }
    }
#endif
