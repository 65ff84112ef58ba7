// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

// The snippets of the catalogue of ReactiveTesting, but for the article on virtual time, which has a file of its own.

private struct Broken: Error {}

@Suite struct DocsTesting {
    @Test func aValueIsSentWhenTypingStops() throws {
        let time = TestScheduler()
        let keys = time.hot("-ab---c----|")
        let recorder = time.record(keys.signal.debounce(.seconds(2), on: time))
        try time.run()
        try recorder.expect("----b---c--|")
    }

    @Test func aFailureIsRetried() throws {
        let time = TestScheduler()
        let source = time.cold("-a-#", values: ["a": 1], failure: Broken())
        let recorder = time.record(source.signal.retry(upTo: 1, after: .seconds(2), on: time))
        try time.run()
        try recorder.expect("-a----a-#", values: ["a": 1])
        #expect(source.subscriptions.map { $0.marbles(frame: time.frame) } == ["^--!", "-----^--!"])
    }
}
