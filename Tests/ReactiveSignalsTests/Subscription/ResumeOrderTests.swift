// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// The order of one sender's values if an operator distributes them to inner signals that wait during a pause.
@Suite struct ResumeOrderTests {
    /// Operators that merge the values of one source again.
    private static let operations: [OperatorCase] = [
        OperatorCase("flatMap of sequences") { signal, _ in signal.flatMap { Signal(values: CollectionOfOne($0)) } },
        OperatorCase("flatMap of closures") { signal, _ in
            signal.flatMap { value in
                Signal { emitter, _ in
                    emitter.send(value)
                    emitter.complete()
                }
            }
        },
        OperatorCase("flatMap of flatMap") { signal, _ in
            signal.flatMap { value in
                Signal<Int, TestError>(values: [value]).flatMap { Signal(values: CollectionOfOne($0)) }
            }
        },
        OperatorCase("a limit of sequences") { signal, _ in
            signal.flatMap(.concurrent(limit: 3)) { Signal(values: CollectionOfOne($0)) }
        },
        OperatorCase("windows of one") { signal, _ in signal.window(count: 1).flatMap { $0 } },
        OperatorCase("windows of two") { signal, _ in signal.window(count: 2).flatMap { $0 } },
        OperatorCase("windows of three, flattened deep below") { signal, _ in
            signal.window(count: 3).flatMap { $0.flatMap { Signal(values: [$0]) }.take(.max).merge(with: .empty) }
        },
        OperatorCase("windows of windows") { signal, _ in
            signal.window(count: 4).flatMap { $0.window(count: 2).flatMap { $0 } }
        },
        OperatorCase("groups") { signal, _ in signal.group(by: { $0 % 3 }).flatMap { $0.signal } },
        OperatorCase("groups, flattened deep below") { signal, _ in
            signal.group(by: { $0 % 2 }).flatMap { $0.signal.flatMap { Signal(values: [$0]) }.take(.max) }
        },
    ]
    /// The two subscriptions wait separately, so the values keep their order only if no other thread pauses.
    private static let shared = OperatorCase("a shared signal in two parts") { signal, _ in
        let shared = signal.share()
        return shared.filter { $0 % 2 == 1 }.merge(with: shared.filter { $0 % 2 == 0 })
    }

    @Test("A value that a pause stops in an inner signal precedes later ones", arguments: operations + [shared])
    func aPauseDuringADelivery(_ operation: OperatorCase) {
        let bench = Bench(operation)
        for pausedAt in 1...8 {
            let subject = Subject<Int, TestError>()
            let subscription = SignalSubscription()
            let token = Box<(any Disposable)?>(nil)
            let source = subject.signal.handleEvents(onValue: { value in
                if value == pausedAt { token.value = subscription.pause() }
            })
            let recorder = bench.apply(source).record(in: subscription)
            for value in 1...8 { subject.send(value) }
            token.value?.dispose()
            #expect(recorder.values == Array(1...8), "paused at \(pausedAt)")
        }
    }

    @Test("Values of one sender keep their order while two threads pause and resume", arguments: operations)
    func pausesOfOtherThreads(_ operation: OperatorCase) {
        let bench = Bench(operation)
        for _ in 0..<Platform.rounds(60) {
            let subject = Subject<Int, TestError>()
            let subscription = SignalSubscription()
            let recorder = bench.apply(subject.signal).record(in: subscription)
            onThreads(3) { thread in
                for number in 0..<200 {
                    if thread == 0 { subject.send(number) } else { subscription.pause().dispose() }
                }
                if thread == 0 { subject.complete() }
            }
            #expect(recorder.values == Array(0..<200))
            #expect(recorder.end == .completed)
        }
    }

    /// The listener is called before the inner signals are, as another thread could be.
    @Test("A value that is sent during a resume follows a value that waits", arguments: operations + [shared])
    func aValueDuringAResume(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let token = Box<(any Disposable)?>(nil)
        subscription.onFlowChange { isPaused in if !isPaused { subject.send(2) } }
        let source = subject.signal.handleEvents(onValue: { value in
            if value == 1 { token.value = subscription.pause() }
        })
        let recorder = bench.apply(source).record(in: subscription)
        subject.send(1)
        #expect(recorder.values == [])
        token.value?.dispose()
        #expect(recorder.values == [1, 2])
    }

    @Test("A resume of an input does not wait for the source of the other input's inner signals")
    func anUnrelatedInput() {
        let (source, other, inner) = (Subject<Int, Never>(), Subject<Int, Never>(), Subject<Int, Never>())
        let subscription = SignalSubscription()
        let recorder = source.signal
            .flatMap { number -> Signal<Int, Never> in number == 0 ? inner.signal : .just(number) }
            .merge(with: other.signal)
            .record(in: subscription)
        source.send(0)
        let pause = subscription.pause()
        inner.send(1)
        source.send(3)
        other.send(2)
        pause.dispose()
        #expect(recorder.values == [1, 2, 3])
    }

    /// The listener of the first inner signal pauses again, before the source has been resumed.
    @Test("A pause in the middle of a resume stops further values until it is disposed")
    func aPauseDuringAResume() {
        let subject = Subject<Int, Never>()
        let inners = [Subject<Int, Never>(), Subject<Int, Never>()]
        let subscription = SignalSubscription()
        let token = Box<(any Disposable)?>(nil)
        let log = Log<Int>()
        subject.signal.flatMap { inners[$0].signal }.subscribe(in: subscription) { value in
            log.add(value)
            if value == 10 { token.value = subscription.pause() }
        }
        subject.send(0)
        let first = subscription.pause()
        inners[0].send(10)
        inners[0].send(11)
        subject.send(1)
        first.dispose()
        #expect(log.entries == [10])
        inners[0].send(12)
        token.value?.dispose()
        inners[1].send(20)
        #expect(log.entries == [10, 11, 12, 20])
    }
}
