// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Laws 2, 3, 4 and 8: one event at a time, one order for all observers, sends from anywhere, constant stack.
@Suite struct OrderLaws {
    @Test("A value sent during a delivery is queued", arguments: OperatorCase.without([.conflates, .sendsAtEnd]))
    func sendingFromInsideADeliveryIsQueued(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let log = Log<String>()
        bench.apply(subject.signal).subscribe(
            onValue: { value in
                log.add("begin \(value)")
                if value == 1 {
                    subject.send(2)
                    subject.send(3)
                }
                log.add("end \(value)")
            },
            onTermination: neverFails()
        )
        bench.settle()
        subject.send(1)
        bench.settle()
        #expect(log.entries == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test("All observers receive nested sends in the same order")
    func allObserversSeeNestedSendsInOneOrder() {
        let subject = Subject<Int, Never>()
        let first = subject.signal.record()
        subject.signal.subscribe { if $0 < 10 { subject.send($0 + 10) } }
        let last = subject.signal.record()
        for value in 1...3 { subject.send(value) }
        #expect(first.values == [1, 11, 2, 12, 3, 13])
        #expect(last.values == first.values)
    }

    @Test("Concurrent sends neither overlap nor get lost", arguments: OperatorCase.without(.conflates))
    func concurrentSendsNeitherOverlapNorGetLost(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let isBusy = Box(false)
        let overlaps = Box(0)
        let signal = bench.apply(subject.signal)
        let first = Log<Int>()
        signal.subscribe(
            onValue: { value in
                if isBusy.update({
                    let was = $0; $0 = true; return was
                }) {
                    overlaps.value += 1
                }
                first.add(value)
                isBusy.value = false
            },
            onTermination: { _ in first.add(-1) }
        )
        let second = signal.record()
        bench.settle()
        onThreads(8) { thread in
            for number in 0..<500 { subject.send(thread * 500 + number) }
        }
        bench.settle()
        subject.complete()
        bench.settle()
        #expect(overlaps.value == 0)
        #expect(first.entries.dropLast().sorted() == Array(0..<4000))
        #expect(first.entries.last == -1)
        #expect(second.end == .completed)
        #expect(second.values == first.entries.dropLast())
        for thread in 0..<8 {
            let own = second.values.filter { $0 / 500 == thread }
            #expect(own == own.sorted())
        }
    }

    @Test("A termination sent during a delivery waits behind queued values")
    func endingFromInsideADeliveryWaitsForWhatIsQueued() {
        let subject = Subject<Int, TestError>()
        let first = Recorder<Int, TestError>()
        subject.subscribe(first, in: SignalSubscription())
        subject.signal.subscribe(
            onValue: { value in
                guard value == 1 else { return }
                subject.send(2)
                subject.fail(.broken)
                subject.send(3)
            },
            onTermination: { _ in }
        )
        let last = subject.signal.record()
        subject.send(1)
        #expect(first.events == [.value(1), .value(2), .ended(.failed(.broken))])
        #expect(last.events == first.events)
    }

    @Test("An observer that subscribes during a delivery receives later values")
    func subscribingFromInsideADeliveryGetsWhatIsSentLater() {
        let subject = Subject<Int, Never>()
        let late = Recorder<Int, Never>()
        subject.signal.take(1).subscribe { _ in
            subject.subscribe(late, in: SignalSubscription())
            subject.send(2)
        }
        subject.send(1)
        subject.send(3)
        #expect(late.values == [2, 3])
    }

    @Test("An observer can be disposed during a delivery to another one")
    func disposingAnotherObserverFromInsideADelivery() {
        let subject = Subject<Int, Never>()
        let other = SignalSubscription()
        subject.signal.subscribe { if $0 == 2 { other.dispose() } }
        let recorder = subject.signal.record(in: other)
        for value in 1...3 { subject.send(value) }
        #expect(recorder.values == [1])
    }

    @Test("A terminated subject sends its termination to later subscribers")
    func anEndedSubjectTellsItsEnd() {
        let subject = Subject<Int, TestError>()
        subject.fail(.broken)
        #expect(subject.signal.record().events == [.ended(.failed(.broken))])
        let other = Subject<Int, TestError>()
        other.complete()
        #expect(other.signal.record().events == [.ended(.completed)])
    }

    @Test("Deeply nested sends use constant stack", arguments: OperatorCase.without(.sendsAtEnd))
    func deepNestedSendsNeedNoStack(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let count = Box(0)
        // Less depth suffices with an operator, because each is slow without optimization.
        let depth = operation.name == "none" ? manyLevels : 3000
        onSmallStack {
            let subject = Subject<Int, TestError>()
            bench.apply(subject.signal).subscribe(
                onValue: { value in
                    count.value = value
                    if value < depth { subject.send(value + 1) }
                },
                onTermination: neverFails()
            )
            bench.settle()
            subject.send(1)
            bench.settle()
        }
        #expect(count.value == depth)
    }

    @Test("Merging many inputs uses constant stack")
    func manyInputsNeedNoStack() {
        let sum = Box(0)
        let ends = Box(0)
        onSmallStack {
            let subjects = (0..<1000).map { _ in Subject<Int, Never>() }
            Signal.merge(subjects.map(\.signal)).subscribe(
                onValue: { value in sum.update { $0 += value } },
                onTermination: { _ in ends.value += 1 }
            )
            for subject in subjects { subject.send(1) }
            for subject in subjects { subject.complete() }
            Signal.merge((0..<1000).map { Signal<Int, Never>.just($0) }).subscribe(
                onValue: { _ in },
                onTermination: { _ in ends.value += 1 }
            )
        }
        #expect(sum.value == 1000)
        #expect(ends.value == 2)
    }

    @Test(
        "Flattening many inner signals uses constant stack",
        arguments: [FlattenStrategy.merge, .concat, .concurrent(limit: 7)],
        [true, false]
    )
    func manyInnersNeedNoStack(_ strategy: FlattenStrategy, _ isScalar: Bool) {
        let recorder = Recorder<Int, Never>()
        onSmallStack {
            Signal<Int, Never>(values: 0..<manyLevels)
                .flatMap(strategy) { isScalar ? .just($0) : Signal(values: CollectionOfOne($0)) }
                .subscribe(recorder, in: SignalSubscription())
        }
        #expect(recorder.values == Array(0..<manyLevels))
        #expect(recorder.end == .completed)
    }

    @Test("A long chain of flatMaps completes and is released")
    func aChainOfFlatMapsEndsAndDisposes() {
        let count = Box(0)
        let chain = (0..<100).reduce(Signal<Int, Never>(values: 0..<10)) { signal, _ in signal.flatMap { .just($0) } }
        chain.subscribe { _ in count.value += 1 }
        #expect(count.value == 10)
    }
}
