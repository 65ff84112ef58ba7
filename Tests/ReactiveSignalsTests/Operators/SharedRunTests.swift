// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// `share(replay:)`: what subscribers and values do while a run finishes.
@Suite struct SharedRunTests {
    @Test("A subscriber that joins while the source terminates receives the stored values")
    func joiningDuringTheTermination() {
        // The pause of the second subscriber reaches the source before that subscriber receives the stored values.
        let source = Signal<Int, Never> { emitter, subscription in
            subscription.onFlowChange { isPaused in if isPaused { emitter.complete() } }
            emitter.send(1)
            emitter.send(2)
        }
        let shared = source.share(replay: 1)
        let first = shared.record()
        let subscription = SignalSubscription()
        let pause = subscription.pause()
        let second = shared.record(in: subscription)
        #expect(first.events == [.value(1), .value(2), .ended(.completed)])
        #expect(second.events.isEmpty)
        pause.dispose()
        #expect(second.events == [.value(2), .ended(.completed)])
    }

    @Test("A subscriber that joins on another thread while the source terminates receives the stored values")
    func joiningOnAnotherThread() {
        for _ in 0..<50 {
            let starts = Box(0)
            let subject = Subject<Int, Never>()
            let source = Signal<Int, Never> { emitter, subscription in
                starts.value += 1
                if starts.value > 1 { return emitter.complete() }
                subject.signal.subscribe(
                    in: subscription,
                    onValue: { emitter.send($0) },
                    onTermination: { _ in emitter.complete() }
                )
            }
            let shared = source.share(replay: 1)
            let first = shared.record()
            subject.send(1)
            let late = Log<Recorder<Int, Never>>()
            onThreads(2) { thread in
                if thread == 0 { subject.complete() } else { late.add(shared.record()) }
            }
            #expect(first.events == [.value(1), .ended(.completed)])
            // The subscriber has joined the first run or has started the second one.
            let stored: [Event<Int, Never>] = starts.value == 1 ? [.value(1)] : []
            let completed = Event<Int, Never>.ended(.completed)
            #expect(late.entries.first?.events == stored + [completed])
        }
    }

    @Test("A value that is sent while the last subscriber leaves is released")
    func aValueDuringTheLastDisposal() {
        let subject = Subject<Witness, Never>()
        let subscription = SignalSubscription()
        let shared = subject.signal
            .map { witness in
                subscription.dispose()
                return witness
            }
            .share(replay: .max)
        shared.subscribe(in: subscription) { _ in }
        weak var witness: Witness?
        do {
            let value = Witness()
            witness = value
            subject.send(value)
        }
        #expect(witness == nil)
        withExtendedLifetime(shared) {}
    }
}
