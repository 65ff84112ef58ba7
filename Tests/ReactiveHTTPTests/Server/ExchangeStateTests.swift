// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The transitions of a server's connection, without sockets.
    @Suite struct ExchangeStateTests {
        @Test("The next head is parsed when both sides are complete, in either order")
        func order() {
            for responseFirst in [true, false] {
                var state = ExchangeState()
                #expect(state.awaitsRequest && state.isBetweenRequests)
                state.beginHead()
                #expect(state.awaitsRequest && !state.isBetweenRequests)
                state.begin(hasBody: true, keepsAlive: true)
                #expect(!state.awaitsRequest && state.awaitsResponse && state.requests == 1)
                state.beginResponse()
                #expect(!state.awaitsResponse)
                let first = responseFirst ? state.endResponse() : state.endRequest()
                #expect(!first && !state.awaitsRequest)
                let second = responseFirst ? state.endRequest() : state.endResponse()
                #expect(second && state.awaitsRequest && state.isBetweenRequests)
            }
        }

        @Test("A response without a body ends the exchange at once")
        func short() {
            var state = ExchangeState()
            state.begin(hasBody: false, keepsAlive: true)
            state.beginResponse()
            let hasEnded = state.endResponse()
            #expect(hasEnded && state.isBetweenRequests)
        }

        @Test("After lost framing no head is parsed, and a response is still sent")
        func lostFraming() {
            var state = ExchangeState()
            state.begin(hasBody: true, keepsAlive: true)
            state.closeRequest()
            let received = state.endRequest()
            #expect(!received && state.awaitsResponse && !state.keepsAlive)
            state.beginResponse()
            let sent = state.endResponse()
            #expect(sent && !state.awaitsRequest)
        }

        @Test("A request that does not keep the connection is the last")
        func last() {
            var state = ExchangeState()
            state.begin(hasBody: false, keepsAlive: false)
            state.beginResponse()
            let sent = state.endResponse()
            #expect(sent && !state.awaitsRequest && !state.keepsAlive)
        }

        @Test("An upgrade ends HTTP")
        func upgrade() {
            var state = ExchangeState()
            state.begin(hasBody: false, keepsAlive: true)
            state.upgrade()
            #expect(!state.awaitsRequest && !state.awaitsResponse && !state.isClosed)
            state.close()
            let sent = state.endResponse()
            #expect(state.isClosed && !state.awaitsRequest && !sent)
        }
    }
#endif
