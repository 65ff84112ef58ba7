// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    // The snippets of Docs/ServerSentEvents.md and of the doc comments. ReactiveHTTPTests test these calls.

    private func prices(_ prices: Signal<Double, Never>, on address: SocketAddress, loops: LoopGroup) throws
        -> HTTPServer
    {
        let server = try HTTPServer(on: address, loops: loops) { request in
            .events(prices.map { price in ServerSentEvent("\(price)") })
        }
        return server
    }

    private struct Log: Sendable {
        struct Entry: Sendable {
            var number: Int
            var text: String
        }

        func entries(after number: Int) -> Signal<Entry, Never> { .just(Entry(number: number + 1, text: "x")) }
    }

    private func resume(_ log: Log, on address: SocketAddress, loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(on: address, loops: loops) { request in
            let last = request.lastEventID.flatMap { Int($0) } ?? 0
            return .events(log.entries(after: last).map { entry in ServerSentEvent(entry.text, id: "\(entry.number)") })
        }
        return server
    }

    private func read(_ response: HTTPResponseMessage) {
        response.body.signal.serverSentEvents().subscribe(
            onValue: { event in print(event.event ?? "message", event.data) },
            onTermination: { termination in print("\(termination)") }
        )
    }

    private func receive(_ client: HTTPClient) {
        client.events(.get("http://127.0.0.1:8080/prices")).subscribe(
            onValue: { event in print(event.data) },
            onTermination: { termination in print("\(termination)") }
        )
    }

    @Test("The parser of Docs/ServerSentEvents.md")
    func parserOfTheDocs() throws {
        var events: [String] = []
        var parser = EventStreamParser()
        parser.feed("data: hello\n\n")
        while let event = try parser.next() { events.append(event.data) }
        #expect(events == ["hello"])
    }
#endif
