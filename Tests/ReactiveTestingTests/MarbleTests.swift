// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

@Suite struct MarbleTests {
    private let scheduler = TestScheduler()

    @Test(
        "The description of a line is its source text",
        arguments: ["", "|", "#", "-a-b-|", "(ab|)", "--(ab)-c#", "^--!", "--^-!"]
    )
    func aLineIsWhatItWasMadeOf(_ line: String) {
        #expect(Marbles(line).description == line)
        #expect(Marbles(Marbles(line).description) == Marbles(line))
    }

    @Test("Blanks and trailing frames are ignored")
    func blanksAndWhatFollowsTheLastMarkMeanNothing() {
        #expect(Marbles(" -a - b  --") == "-a-b")
        #expect(Marbles("(a)-b") == "a-b")
        #expect(Marbles("a-b") != "ab")
    }

    @Test("Frames of a hot source are counted from its subscription")
    func framesOfASourceAreCountedFromItsSubscription() {
        #expect(Marbles("ab-^-c").cells.map(\.frame) == [-3, -2, 0, 2])
        #expect(Marbles("ab-^-c").description == "ab-^-c")
    }

    @Test("A difference is a readable text")
    func aDifferenceCanBeRead() {
        let received = Marbles("-a--b|")
        #expect(received.difference(from: "-a--b|") == nil)
        let text = received.difference(from: "-a-(bc)-|")
        #expect(
            text == """
                expected  -a-(bc)-|
                received  -a--   b|
                             ^ frame 3: expected (bc), received nothing
                               2 frames differ
                """
        )
    }

    @Test(
        "Both lines of a difference have the same columns, and are valid lines",
        arguments: [
            ("a-b|", "a-c|", 2), ("", "a", 0), ("-a", "", 1), ("(ab|)", "a-b|", 0), ("a-b-^-c", "a-b-^-d", 2),
            ("-(ab)-c", "-a-(bc)", 1),
        ] as [(Marbles, Marbles, Int)]
    )
    func bothLinesOfADifferenceAreValid(_ expected: Marbles, _ received: Marbles, _ first: Int) throws {
        let lines = try #require(received.difference(from: expected)).split(separator: "\n").map(String.init)
        #expect(Marbles(String(lines[0].dropFirst(10))).cells == expected.cells)
        #expect(Marbles(String(lines[1].dropFirst(10))).cells == received.cells)
        #expect(lines[2].contains("^ frame \(first): expected "))
        #expect(lines.count == 3 || lines[3].contains(" frames differ"))
    }

    @Test("A failed expectation throws both lines and the place of the check")
    func aFailedExpectationThrowsBothLines() throws {
        let recorder = scheduler.record(scheduler.cold("-ab|").signal)
        try scheduler.run()
        try recorder.expect("-ab|")
        try recorder.expect("-xy|", values: ["x": "a", "y": "b"])
        let line = UInt(#line) + 1
        let error = #expect(throws: MarbleMismatch.self) { try recorder.expect("-ac|") }
        #expect(error?.expected == "-ac|")
        #expect(error?.received == "-ab|")
        #expect(
            error?.description == """
                the marbles at ReactiveTestingTests/MarbleTests.swift:\(line) differ:
                expected  -ac|
                received  -ab|
                            ^ frame 2: expected c, received b
                """
        )
    }

    @Test("An expectation may mark the subscription and its disposal, which are ignored")
    func anExpectationMayMarkTheSubscription() throws {
        let recorder = scheduler.record(scheduler.cold("-ab|").signal)
        try scheduler.run()
        try recorder.expect("^ab|")
        try recorder.expect("--^ab|")
        try recorder.expect("^xy|", values: ["x": "a", "y": "b"])
        #expect(throws: MarbleMismatch.self) { try recorder.expect("^-ab|") }
        let cut = scheduler.record(scheduler.cold("-ab|").signal.take(1))
        try scheduler.run()
        try cut.expect("^(a|!)")
        let silent = scheduler.record(Signal<Character, Never>.never)
        try silent.expect("--^--!")
        #expect(silent.marbles != "--^--!")
    }

    @Test("A difference of very long lines names only the frames that differ")
    func aDifferenceOfLongLines() {
        let late = 1_000_000_000
        let received = Marbles([(frame: 0, mark: .value("a")), (late, .value("b")), (late + 2, .completed)])
        let expected = Marbles([(frame: 0, mark: .value("a")), (late + 1, .value("b")), (late + 2, .completed)])
        #expect(
            received.difference(from: expected) == """
                the frames that differ:
                frame 1000000000: expected nothing, received b
                frame 1000000001: expected b, received nothing
                """
        )
        #expect(received.difference(from: received) == nil)
        let far = Marbles([(.min, .value("a")), (.max, .completed)])
        #expect(far.difference(from: "a")?.split(separator: "\n").count == 4)
        #expect(received.description == "a …999999999 frames… b-|")
        #expect(far.description.hasSuffix("frames… |"))
    }

    @Test("Each source accepts a failure")
    func eachSourceAcceptsAFailure() throws {
        let characters = [
            scheduler.cold("-a-#", failure: TestError.broken), scheduler.hot("-a-#", failure: TestError.broken),
        ].map { scheduler.record($0.signal) }
        let events = [
            scheduler.cold(
                [.value(Character("a"), at: .seconds(1)), .failed(.broken, at: .seconds(3))],
                failure: TestError.self
            ),
            scheduler.hot(
                [.value(Character("a"), at: .seconds(1)), .failed(.broken, at: .seconds(3))],
                failure: TestError.self
            ),
        ].map { scheduler.record($0.signal) }
        let endless = [scheduler.cold("-a|", values: ["a": 1]), scheduler.hot("-a|", values: ["a": 1])]
            .map { scheduler.record($0.signal) }
        try scheduler.run()
        for recorder in characters + events {
            try recorder.expect("-a-#")
            #expect(recorder.termination == .failed(.broken))
        }
        for recorder in endless { try recorder.expect("-a|", values: ["a": 1]) }
    }

    @Test("A cold source starts for each subscription")
    func aColdSourceBeginsForEachSubscription() throws {
        let source = scheduler.cold("a-b|")
        let first = scheduler.record(source.signal)
        #expect(first.events.isEmpty)
        try scheduler.advance(by: .seconds(1))
        let second = scheduler.record(source.signal)
        try scheduler.run()
        #expect(first.marbles == "a-b|")
        #expect(second.marbles == "a-b|")
        #expect(source.subscriptions.map { $0.marbles(frame: scheduler.frame) } == ["^--!", "-^--!"])
    }

    @Test("A hot source sends to the current subscribers only")
    func aHotSourceSendsToWhoeverIsThere() throws {
        let source = scheduler.hot("x-^a-b-c|")
        try scheduler.advance(by: .seconds(2))
        let recorder = scheduler.record(source.signal)
        scheduler.schedule(after: .seconds(2)) { recorder.subscription.dispose() }
        try scheduler.run()
        #expect(recorder.marbles == "-b")
        #expect(source.subscriptions == [SubscriptionSpan(.seconds(2), .seconds(4))])
    }

    @Test("A source sends the values and the failure that the test assigns")
    func valuesAndFailuresAreWhatTheTestSays() throws {
        let source = scheduler.cold("-ab-#", values: ["a": 10, "b": 20], failure: TestError.broken)
        let recorder = scheduler.record(source.signal.map { $0 + 1 })
        try scheduler.run()
        #expect(recorder.values == [11, 21])
        #expect(recorder.termination == .failed(.broken))
        #expect(recorder.marbles(values: ["a": 11]) == "-a?-#")
        #expect(
            recorder.events == [
                .value(11, at: .seconds(1)), .value(21, at: .seconds(2)), .failed(.broken, at: .seconds(4)),
            ]
        )
    }

    @Test("A paused source delays its events until it is resumed")
    func aSourceWaitsDuringAPause() throws {
        let source = scheduler.cold("abc|")
        let recorder = scheduler.record(source.signal)
        let hold = recorder.subscription.pause()
        scheduler.schedule(after: .seconds(5)) { hold.dispose() }
        try scheduler.run()
        #expect(recorder.marbles == "-----(abc|)")
        #expect(source.subscriptions.count == 1)
    }
}
