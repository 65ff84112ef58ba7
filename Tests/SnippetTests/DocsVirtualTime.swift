// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// Why a probe has failed.
enum ProbeError: Error {
    case refused
    case timedOut
}

/// Sends whether a service is healthy: after the first probe, and after each change.
///
/// - Parameters:
///   - service: The probe. It asks the service once for each subscription, and its first value is the answer.
///   - interval: The time between two probes.
///   - timeout: How long to wait for an answer.
///   - scheduler: The scheduler of the timers.
func health(
    of service: Signal<Void, ProbeError>,
    every interval: Duration,
    timeout: Duration,
    on scheduler: any TimedScheduler
) -> Signal<Bool, Never> {
    Signal<Int, Never>.interval(interval, on: scheduler)
        .flatMap(.first) { _ in
            service.take(1)
                .timeout(after: timeout, raising: .timedOut, on: scheduler)
                .replaceValues(with: true)
                .flatMapError { _ in Signal<Bool, Never>.just(false) }
        }
        .skipRepeats()
}

@Suite struct HealthTests {
    let time = TestScheduler()

    @Test func aServiceThatAnswersIsHealthy() throws {
        let service = time.cold([.value((), at: .milliseconds(300))], failure: ProbeError.self)
        let recorder = time.record(health(of: service.signal, every: .seconds(5), timeout: .seconds(2), on: time))
        try time.advance(by: .seconds(60))
        #expect(recorder.events == [.value(true, at: .milliseconds(5300))])
    }

    @Test func aRefusedProbeIsReportedAtOnce() throws {
        let recorder = time.record(health(of: .fail(.refused), every: .seconds(5), timeout: .seconds(2), on: time))
        try time.advance(by: .seconds(60))
        #expect(recorder.events == [.value(false, at: .seconds(5))])
    }

    @Test func silenceIsReportedAfterTheTimeout() throws {
        let answers = time.hot("------a----b---------c")
        let service = answers.signal.replaceValues(with: ()).setFailureType(to: ProbeError.self)
        let recorder = time.record(health(of: service, every: .seconds(5), timeout: .seconds(2), on: time))
        try time.advance(by: .seconds(24))

        try recorder.expect("------t----------f---t", values: ["t": true, "f": false])
        #expect(
            answers.subscriptions.map { $0.marbles(frame: time.frame) } == [
                "-----^!",
                "----------^!",
                "---------------^-!",
                "--------------------^!",
            ]
        )
    }

    @Test func disposalStopsEveryTimer() throws {
        let recorder = time.record(health(of: .never, every: .seconds(5), timeout: .seconds(2), on: time))
        try time.advance(by: .seconds(6))
        #expect(!time.isIdle)
        recorder.subscription.dispose()
        #expect(time.isIdle)
    }
}
