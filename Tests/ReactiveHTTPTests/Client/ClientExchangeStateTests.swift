// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The transitions of a client's connection, without sockets.
    @Suite struct ClientExchangeStateTests {
        @Test("A complete exchange leaves the connection usable")
        func complete() {
            var state = ExchangeState()
            #expect(state.isIdle && state.keepsAlive && !state.isReused)
            state.begin(hasBody: true, keepsAlive: true)
            #expect(state.isSending && state.response == .awaited)
            state.endRequest()
            state.receiveBytes()
            state.beginResponse()
            state.endResponse()
            #expect(state.isIdle && state.keepsAlive)
            state.begin(hasBody: false, keepsAlive: true)
            #expect(state.isReused && !state.hasReceived && !state.isSending)
        }

        @Test("A request that stops, or either side that closes, ends the connection")
        func incomplete() {
            var stopped = ExchangeState()
            stopped.begin(hasBody: true, awaitsContinue: true, keepsAlive: true)
            let continues = [stopped.continueRequest(), stopped.continueRequest()]
            #expect(continues == [true, false])
            stopped.beginResponse()
            stopped.closeRequest()
            stopped.endResponse()
            #expect(stopped.isIdle && !stopped.keepsAlive)
            for (request, response) in [(false, true), (true, false)] {
                var state = ExchangeState()
                state.begin(hasBody: false, keepsAlive: request)
                state.beginResponse()
                if !response { state.endAfterResponse() }
                state.endResponse()
                #expect(!state.keepsAlive)
            }
        }

        @Test("The number of informational responses is bounded")
        func informational() {
            var state = ExchangeState()
            state.begin(hasBody: false, keepsAlive: true)
            let allowed = (0..<40).count { _ in state.receiveInformational() }
            #expect(allowed == Int(ExchangeState.informationalLimit))
        }
    }
#endif
