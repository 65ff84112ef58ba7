// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A subscription to the events of a raw server.
    final class EventSourceSite {
        let clock = ManualClock()
        let fixture: ClientFixture
        let events = Recorder<ServerSentEvent>()
        let subscription = SignalSubscription()
        private let termination = Box<Termination<HTTPError>?>(nil)

        init(
            _ kind: LoopKind,
            listens: Bool = true,
            _ configure: (inout EventSourceConfiguration) -> Void = { _ in }
        ) throws {
            fixture = try ClientFixture(kind, clock: clock)
            var configuration = EventSourceConfiguration()
            configure(&configuration)
            let (events, termination) = (events, termination)
            let url = listens ? fixture.raw.url : "http://\(RawSocket.closedAddress)"
            fixture.client.events(.get("\(url)/events"), configuration: configuration).subscribe(
                in: subscription,
                onValue: { events.append($0) },
                onTermination: { termination.value = $0 }
            )
        }

        /// Disposes the subscription. Otherwise it would reconnect when the fixture stops the client.
        deinit { subscription.dispose() }

        enum End { case completed, failed }

        var end: End? {
            switch termination.value {
            case .completed: .completed
            case .failed: .failed
            case nil: nil
            }
        }

        var error: HTTPError? { if case .failed(let error) = termination.value { error } else { nil } }

        /// Accepts the next connection, and checks its request.
        @discardableResult
        func connection(
            after time: Duration = .zero,
            step: Duration? = nil,
            lastEventID: String?,
            _ sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> RawPeer {
            if time > .zero {
                // The client notices first that the connection before has ended.
                try fixture.loop.turns(20)
                try fixture.advance(clock, by: time, step: step ?? min(time, .milliseconds(250)))
            }
            let peer = try accept(late: time > .zero)
            let head = try fixture.receive(at: peer)
            let id = head.split(separator: "\r\n").first { $0.hasPrefix("Last-Event-ID: ") }
            #expect(id.map { String($0.dropFirst(15)) } == lastEventID, sourceLocation: sourceLocation)
            #expect(
                head.hasPrefix("GET /events ") && head.contains("Accept: text/event-stream\r\n"),
                sourceLocation: sourceLocation
            )
            return peer
        }

        /// Accepts a connection. On a busy machine, the client may notice late that the connection before has ended.
        private func accept(late: Bool) throws -> RawPeer {
            var peer: RawPeer?
            var turns = 0
            try fixture.loop.turns {
                peer = fixture.raw.accept()
                turns += 1
                if peer == nil, late, turns.isMultiple(of: 10_000) { clock.advance(by: .milliseconds(250)) }
                return peer != nil
            }
            return try #require(peer)
        }

        /// Answers the next request with a stream that is not complete.
        @discardableResult
        func stream(
            _ text: String,
            after time: Duration = .zero,
            step: Duration? = nil,
            lastEventID: String?,
            _ sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> RawPeer {
            events.clear()
            let peer = try connection(after: time, step: step, lastEventID: lastEventID, sourceLocation)
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\(text)", from: peer)
            try fixture.loop.turns(20)
            return peer
        }

        /// Runs turns until these events have arrived, and no other.
        func expect(_ data: [String], _ sourceLocation: SourceLocation = #_sourceLocation) throws {
            try fixture.loop.turns { events.values.count >= data.count }
            #expect(events.values.map(\.data) == data, sourceLocation: sourceLocation)
        }

        /// Advances the time, in which no connection may arrive.
        func expectNoConnection(
            for time: Duration,
            _ sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try fixture.loop.turns(20)
            try fixture.advance(clock, by: time)
            #expect(fixture.raw.accept() == nil, sourceLocation: sourceLocation)
        }

        /// Expects that nothing is left on the loop.
        func expectIdle(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
            // The client may already have begun another connection attempt.
            try fixture.loop.turns(20)
            while let late = fixture.raw.accept() { late.close() }
            try fixture.expectNoConnections()
            try fixture.advance(clock, by: .seconds(10))
            #expect(fixture.raw.accept() == nil && fixture.client.connectionCount == 0, sourceLocation: sourceLocation)
        }
    }
#endif
