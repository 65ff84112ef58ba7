// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerDispatch
import Testing

// The snippets of Docs/Testing.md, and of the doc comments of ReactiveTesting.

private enum SearchError: Error {
    case refused
    case timedOut
}

/// Sends suggestions for a text once typing has paused for 300 ms.
private func suggestions(
    for text: Signal<String, Never>,
    from search: @escaping @Sendable (String) -> Signal<[String], SearchError>,
    on scheduler: any TimedScheduler
) -> Signal<[String], Never> {
    text.debounce(.milliseconds(300), on: scheduler)
        .flatMap(.latest) { text in
            search(text)
                .timeout(after: .seconds(2), raising: .timedOut, on: scheduler)
                .flatMapError { _ in Signal<[String], Never>.just([]) }
        }
}

@Suite struct SuggestionTests {
    @Test func suggestionsFollowAPause() throws {
        let time = TestScheduler(frame: .milliseconds(100))
        let text = time.hot("-ab-----c|", values: ["a": "s", "b": "sw", "c": "swi"])
        let server = time.cold("--r|", values: ["r": ["swift"]], failure: SearchError.refused)
        let recorder = time.record(suggestions(for: text.signal, from: { _ in server.signal }, on: time))
        try time.run()
        try recorder.expect("-------r---r|", values: ["r": ["swift"]])
    }

    @Test func silenceMeansNoSuggestions() throws {
        let time = TestScheduler()
        let text = Signal<Void, Never>.timer(after: .seconds(1), on: time).replaceValues(with: "swift")
        let recorder = time.record(suggestions(for: text, from: { _ in .never }, on: time))
        try time.run()
        // 1 s until the text, and 2 s until the timeout. The text completes, so it is searched for at once.
        #expect(recorder.events == [.value([], at: .seconds(3)), .completed(at: .seconds(3))])
    }

    @Test func aFailureMeansNoSuggestions() throws {
        let time = TestScheduler()
        let server = time.cold("-#", values: ["r": ["swift"]], failure: SearchError.refused)
        let text = time.hot("a|", values: ["a": "swift"])
        let recorder = time.record(suggestions(for: text.signal, from: { _ in server.signal }, on: time))
        try time.run()
        #expect(recorder.events == [.value([], at: .seconds(1.3)), .completed(at: .seconds(1.3))])
        #expect(server.subscriptions == [SubscriptionSpan(.seconds(0.3), .seconds(1.3))])
    }

    @Test func nothingIsLeftBehind() throws {
        let text = Subject<String, Never>()
        try withLeakCheck(for: [.subscriptions, .loops]) {
            let loop = try DispatchLoop(name: "search")
            defer { loop.dispose() }
            let subscription = suggestions(for: text.signal, from: { _ in .never }, on: loop).subscribe()
            text.send("swift")
            subscription.dispose()
        }
    }

    @Test func whatIsLeftIsListed() throws {
        let text = Subject<String, Never>()
        var left: (any LoopScheduler)?
        let line = UInt(#line) + 2
        do {
            try withLeakCheck(for: [.subscriptions, .loops], within: .zero) {
                let loop = try DispatchLoop(name: "search")
                left = loop
                _ = suggestions(for: text.signal, from: { _ in .never }, on: loop).subscribe()
                text.send("swift")
            }
            Issue.record("the check has found nothing")
        } catch let error as LeakError {
            #expect(
                error.description == """
                    2 leaks found by the leak check at SnippetTests/Testing.swift:\(line):
                      subscription at SnippetTests/Testing.swift:\(line + 3)
                      loop search, not disposed
                    """
            )
        }
        left?.dispose()
    }

    @Test func theResultOfTheBodyIsReturned() throws {
        let answer = try withLeakCheck(for: [.subscriptions, .loops]) {
            let time = TestScheduler()
            let source = time.cold("-a|")
            let recorder = time.record(source.signal)
            try time.run()
            return recorder.values
        }
        #expect(answer == ["a"])
    }

    @Test func aMarbleLineIsExpected() throws {
        let time = TestScheduler()
        let answers = ["t": true, "f": false] as [Character: Bool]
        let recorder = time.record(time.cold("--t-f-|", values: answers).signal)
        try time.run()
        try recorder.marbles(values: answers).expect("--t-f-|")
    }
}
