// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    @testable import ReactiveHTTP

    /// The transitions, without sockets.
    @Suite struct ExchangeStateTests {
        @Test("The next head is parsed when both sides are complete, in either order")
        func order() {
            for responseFirst in [true, false] {
                var state = ExchangeState()
                #expect(state.awaitsHead && state.isBetweenRequests)
                state.beginHead()
                #expect(state.awaitsHead && !state.isBetweenRequests)
                state.receiveHead(hasBody: true, keepsAlive: true)
                #expect(!state.awaitsHead && state.awaitsResponse && state.requests == 1)
                state.beginResponse()
                #expect(!state.awaitsResponse)
                let first = responseFirst ? state.endResponse() : state.receiveEnd()
                #expect(!first && !state.awaitsHead)
                let second = responseFirst ? state.receiveEnd() : state.endResponse()
                #expect(second && state.awaitsHead && state.isBetweenRequests)
            }
        }

        @Test("A response without a body ends the exchange at once")
        func short() {
            var state = ExchangeState()
            state.receiveHead(hasBody: false, keepsAlive: true)
            let hasEnded = state.endResponse()
            #expect(hasEnded && state.isBetweenRequests)
        }

        @Test("After lost framing no head is parsed, and a response is still sent")
        func lostFraming() {
            var state = ExchangeState()
            state.receiveHead(hasBody: true, keepsAlive: true)
            state.closeIncoming()
            let received = state.receiveEnd()
            #expect(!received && state.awaitsResponse && !state.keepsAlive)
            let sent = state.endResponse()
            #expect(sent && !state.awaitsHead)
        }

        @Test("A request that does not keep the connection is the last")
        func last() {
            var state = ExchangeState()
            state.receiveHead(hasBody: false, keepsAlive: false)
            let sent = state.endResponse()
            #expect(sent && !state.awaitsHead && !state.keepsAlive)
        }

        @Test("An upgrade ends HTTP")
        func upgrade() {
            var state = ExchangeState()
            state.receiveHead(hasBody: false, keepsAlive: true)
            state.upgrade()
            #expect(!state.awaitsHead && !state.awaitsResponse && !state.isClosed)
            state.close()
            let sent = state.endResponse()
            #expect(state.isClosed && !state.awaitsHead && !sent)
        }
    }
#endif
