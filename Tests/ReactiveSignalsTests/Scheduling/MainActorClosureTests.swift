// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// Closures formed on the main actor that run elsewhere, which crash programs with RxSwift (its issue 2638). Here
/// they are `@Sendable`: the compiler rejects captures of main-actor state, and the closures run anywhere.
/// Tests/Checks/Rejected contains the rejected code.
@MainActor
@Suite struct MainActorClosureTests {
    @Test("Closures formed on the main actor run on other threads")
    func closuresFormedHereRunElsewhere() {
        let subject = Subject<Int, TestError>()
        let time = TestScheduler()
        let calls = Box(0)
        let signal = subject.signal
            .map { value in
                calls.update { $0 += 1 }
                return value
            }
            .filter { $0 > 0 }
            .compactMap { Optional($0) }
            .scan(0) { $1 }
            .scan(into: 0) { $0 = $1 }
        let collected =
            signal
            .flatMap { .just($0) }
            .flatMap(.latest) { .just($0) }
            .skipRepeats(by: { $0 == $1 })
            .take(while: { $0 < 100 })
            .skip(while: { $0 < 1 })
            .collect(until: { _ in true })
            .compactMap(\.first)
        let recorder =
            collected
            .attemptMap { $0 }
            .mapError { $0 }
            .flatMapError { Signal<Int, TestError>.fail($0) }
            .group(by: { _ in 0 })
            .flatMap { $0.signal }
            .handleEvents(
                onSubscribe: { calls.update { $0 += 1 } },
                onValue: { _ in calls.update { $0 += 1 } },
                onTermination: { _ in calls.update { $0 += 1 } },
                onDispose: { calls.update { $0 += 1 } }
            )
            .reduce(into: []) { $0.append($1) }
            .delay(.milliseconds(1), on: time)
            .record()
        onThreads(2) { thread in
            for value in 1...10 where thread == value % 2 { subject.send(value) }
        }
        onThreads(1) { _ in
            subject.complete()
            do { try time.advance(by: .seconds(1)) } catch { Issue.record(error) }
        }
        #expect(recorder.values.first?.sorted() == Array(1...10))
        #expect(recorder.end == .completed)
        #expect(calls.value == 23)
    }
}
