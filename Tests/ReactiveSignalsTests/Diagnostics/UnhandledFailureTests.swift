// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// The hook for failures that nothing handles.
@Suite struct UnhandledFailureTests {
    private struct Mine: Error, Equatable { let number: Int }

    private func recorder(_ number: Int) -> FailureRecorder {
        FailureRecorder { $0.error as? Mine == Mine(number: number) }
    }

    @Test("A failure is reported with its operation, on the thread that loses it")
    func reported() {
        let (recorder, threads) = (recorder(1), Log<UInt>())
        let probe = FailureRecorder { failure in
            if failure.error as? Mine == Mine(number: 1) { threads.add(SystemThread.currentIdentifier) }
            return false
        }
        UnhandledFailure.report(Mine(number: 1), of: "Test.send(from:)")
        #expect(recorder.operations == ["Test.send(from:)"])
        #expect(recorder.failures.first?.description == "unhandled failure of Test.send(from:): Mine(number: 1)")
        #expect(threads.entries == [SystemThread.currentIdentifier])
        withExtendedLifetime(probe) {}
    }

    @Test("Cancellations and failures that this process causes are not reported")
    func notFailures() {
        struct Ended: LocallyCaused { let isLocallyCaused: Bool }
        let recorder = FailureRecorder { $0.operation == "Test.notFailures" }
        UnhandledFailure.report(CancellationError(), of: "Test.notFailures")
        UnhandledFailure.report(Ended(isLocallyCaused: true), of: "Test.notFailures")
        #expect(recorder.failures.isEmpty)
        UnhandledFailure.report(Ended(isLocallyCaused: false), of: "Test.notFailures")
        #expect(recorder.failures.count == 1)
    }

    @Test("A handler that causes a failure is not called for it")
    func reentrant() {
        let recorder = FailureRecorder { failure in
            guard failure.operation.hasPrefix("Test.reentrant") else { return false }
            UnhandledFailure.report(Mine(number: 3), of: "Test.reentrant, inner")
            return true
        }
        for _ in 0..<2 { UnhandledFailure.report(Mine(number: 3), of: "Test.reentrant") }
        #expect(recorder.operations == ["Test.reentrant", "Test.reentrant"])
    }

    @Test("Several threads may report at the same time")
    func concurrent() {
        let recorder = recorder(4)
        onThreads(8) { _ in
            for _ in 0..<500 { UnhandledFailure.report(Mine(number: 4), of: "Test.concurrent") }
        }
        #expect(recorder.failures.count == 4000)
    }

    @Test("A discardable outcome reports a failure that nothing has observed", arguments: 0..<5)
    func outcome(_ way: Int) {
        let recorder = recorder(10 + way)
        do {
            let outcome = DiscardableOutcome<Mine>(of: "Test.outcome")
            let failure = Mine(number: 10 + way)
            switch way {
            case 0: outcome.fail(failure)
            case 1:
                outcome.signal.subscribe(onTermination: { #expect($0 == .failed(failure)) })
                outcome.fail(failure)
            case 2:
                outcome.fail(failure)
                outcome.signal.subscribe(onTermination: { #expect($0 == .failed(failure)) })
            case 3:
                outcome.send(termination: .completed)
                outcome.fail(failure)
            default:
                // Signals that nothing subscribes to observe nothing.
                _ = outcome.signal
                outcome.fail(failure)
            }
            #expect(recorder.failures.isEmpty)
        }
        #expect(recorder.operations == (way == 0 || way == 4 ? ["Test.outcome"] : []))
    }

    @Test("Without a handler a debug build writes one line to standard error")
    func printed() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            UnhandledFailure.report(Mine(number: 5), of: "Test.printed")
            UnhandledFailure.setHandler { _ in }
            UnhandledFailure.report(Mine(number: 6), of: "Test.silent")
            UnhandledFailure.setHandler(nil)
            UnhandledFailure.report(Mine(number: 7), of: "Test.printed again")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #if DEBUG
            #expect(text.contains("unhandled failure of Test.printed: Mine(number: 5)\n"))
            #expect(text.contains("unhandled failure of Test.printed again: Mine(number: 7)\n"))
        #endif
        #expect(!text.contains("Test.silent"))
    }
}
