// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// A test bench with marble lines, in which letters are values and `#` is `TestError.broken`.
final class Timeline: Sendable {
    typealias Letters = Signal<Character, TestError>

    let scheduler = TestScheduler()

    /// The values of the letters.
    private static let letters = Dictionary(
        uniqueKeysWithValues: "abcdefghijklmnopqrstuvwxyz0123456789".map { ($0, $0) }
    )

    func cold(_ line: Marbles) -> TestSource<Character, TestError> {
        scheduler.cold(line, values: Timeline.letters, failure: .broken)
    }

    func hot(_ line: Marbles) -> TestSource<Character, TestError> {
        scheduler.hot(line, values: Timeline.letters, failure: .broken)
    }

    /// Subscribes to the signal now, runs 50 frames, and compares the events with the line.
    func expect<Value: Sendable, Failure: Error>(
        _ signal: Signal<Value, Failure>,
        _ line: Marbles,
        pausedFrom pause: Int? = nil,
        to resume: Int = 0,
        location: SourceLocation = #_sourceLocation,
        _ letter: (Value) -> Character
    ) {
        let recorder = EventRecorder<Value, Failure>(scheduler)
        // Scheduled before the subscription, so that a pause precedes the events of its frame.
        if let pause {
            scheduler.schedule(after: .seconds(pause)) { [scheduler] in
                let hold = recorder.subscription.pause()
                scheduler.schedule(after: .seconds(resume - pause)) { hold.dispose() }
            }
        }
        signal.subscribe(recorder, in: recorder.subscription)
        do {
            try scheduler.advance(by: .seconds(50))
        } catch {
            Issue.record(error, sourceLocation: location)
        }
        if let text = recorder.marbles(letter).difference(from: line) {
            Issue.record(Comment(rawValue: "\n" + text), sourceLocation: location)
        }
    }

    func expect<Failure: Error>(
        _ signal: Signal<Character, Failure>,
        _ line: Marbles,
        pausedFrom pause: Int? = nil,
        to resume: Int = 0,
        location: SourceLocation = #_sourceLocation
    ) {
        expect(signal, line, pausedFrom: pause, to: resume, location: location) { $0 }
    }

    /// Compares the spans from subscription to disposal of a source with lines.
    func expect(
        _ source: TestSource<Character, TestError>,
        _ spans: [Marbles],
        location: SourceLocation = #_sourceLocation
    ) {
        let real = source.subscriptions.map { $0.marbles(frame: scheduler.frame) }
        #expect(real == spans, sourceLocation: location)
    }
}
