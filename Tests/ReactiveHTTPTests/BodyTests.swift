// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct BodyTests {
        @Test("A body of stored bytes is collected as it is")
        func stored() async throws {
            let body = HTTPBody("hello")
            #expect(body.length == 5)
            #expect(try await body.bytes().first() == "hello")
        }
    }
#endif
