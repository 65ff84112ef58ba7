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
                received  -a-----b|
                             ^   ^
                frame 3: expected (bc), received nothing
                frame 4: expected nothing, received b
                """
        )
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
