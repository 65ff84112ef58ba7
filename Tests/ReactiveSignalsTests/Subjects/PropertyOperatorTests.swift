// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@Suite struct PropertyOperatorTests {
    @Test("A mapped property is never behind its source")
    func aMappedPropertyIsNeverBehind() {
        let property = Property(1)
        let doubled = property.map { $0 * 2 }
        let recorder = doubled.signal.record()
        let readings = Log<Int>()
        property.signal.subscribe { _ in readings.add(doubled.value) }
        property.value = 2
        #expect(doubled.value == 4)
        #expect(recorder.values == [2, 4])
        #expect(readings.entries == [2, 4])
    }

    @Test func combinedProperties() {
        let (number, text) = (Property(1), Property("a"))
        let both = number.readOnly.combineLatest(with: text.readOnly)
        let recorder = both.signal.map { "\($0)\($1)" }.record()
        number.value = 2
        text.value = "b"
        #expect(both.value == (2, "b"))
        #expect(recorder.values == ["1a", "2a", "2b"])
        let all = ReadOnlyProperty.combineLatest([number.readOnly, number.map { $0 * 10 }])
        #expect(all.value == [2, 20])
        #expect(ReadOnlyProperty<[Int]>.combineLatest([ReadOnlyProperty<Int>]()).value == [])
        let zipped = number.readOnly.zip(with: text.readOnly)
        #expect(zipped.value == (2, "b"))
    }

    @Test func skipRepeatsAndBooleans() {
        let property = Property(1)
        let recorder = property.readOnly.skipRepeats().signal.record()
        property.value = 1
        property.value = 2
        #expect(recorder.values == [1, 2])
        let (isOn, isReady) = (Property(true), Property(false))
        #expect(!isOn.readOnly.and(isReady.readOnly).value)
        #expect(isOn.readOnly.or(isReady.readOnly).value)
        #expect(!isOn.readOnly.negate().value)
    }

    @Test("A flattened property follows the inner property")
    func aPropertyOfAProperty() {
        let inner = [Property(1), Property(10)]
        let index = Property(0)
        let flat = index.readOnly.flatMap { inner[$0].readOnly }
        let recorder = flat.signal.record()
        inner[0].value = 2
        index.value = 1
        inner[0].value = 3
        inner[1].value = 11
        #expect(recorder.values == [1, 2, 10, 11])
        #expect(flat.value == 11)
    }

    @Test("A property of a signal lasts as long as it is referenced or observed")
    func aPropertyMadeOfASignalLastsAsLongAsItIsKnown() {
        let subject = Subject<Int, Never>()
        let released = Box(false)
        var property: ReadOnlyProperty? = ReadOnlyProperty(
            initial: 0,
            then: subject.signal.handleEvents(onDispose: { released.value = true })
        )
        let observer = Recorder<Int, Never>()
        let subscription = SignalSubscription()
        property?.subscribe(observer, in: subscription)
        subject.send(1)
        #expect(property?.value == 1)
        property = nil
        subject.send(2)
        #expect(observer.values == [0, 1, 2])
        #expect(!released.value)
        subscription.dispose()
        #expect(released.value)
        let over = ReadOnlyProperty(initial: 0, then: Signal(values: 1...3))
        #expect(over.value == 3)
        #expect(over.signal.record().events == [.value(3), .ended(.completed)])
        #expect(ReadOnlyProperty(value: 7).signal.record().events == [.value(7), .ended(.completed)])
    }

    @Test func bindings() {
        let subject = Subject<Int, Never>()
        var property: Property<Int>? = Property(0)
        let subscription = property.map { $0 <~ subject.signal }
        subject.send(1)
        #expect(property?.value == 1)
        property = nil
        #expect(subscription?.isDisposed == true)

        let taken = Log<Int>()
        let lifetime = Lifetime()
        let target = BindingTarget<Int>(during: lifetime) { taken.add($0) }
        target <~ subject.signal
        subject.send(2)
        lifetime.end()
        subject.send(3)
        #expect(taken.entries == [2])
    }

    /// Law 4 with a limit: the oldest waiting values are dropped, and all observers receive the latest value last.
    @Test("A property drops the oldest waiting values at its limit")
    func aPropertysQueueHasALimit() {
        let property = Property(0, limit: 2)
        let first = property.signal.record()
        property.signal.subscribe { value in
            if value == 1 { for next in 2...9 { property.value = next } }
        }
        let last = property.signal.record()
        property.value = 1
        #expect(first.values == [0, 1, 8, 9])
        #expect(last.values == first.values)
        #expect(property.value == 9)
    }

    @Test(
        "A subject's policy applies to values sent during a delivery",
        arguments: [
            (BufferPolicy.unbounded, [1, 2, 3, 4, 5]), (.dropOldest(2), [1, 4, 5]), (.dropNewest(2), [1, 2, 3]),
            (.dropOldest(0), [1]), (.dropNewest(0), [1]),
        ]
    )
    func aSubjectsQueueHasALimit(_ policy: BufferPolicy, _ sent: [Int]) {
        let subject = Subject<Int, TestError>(whileDelivering: policy)
        let late = Recorder<Int, TestError>()
        subject.signal.subscribe(
            onValue: { value in
                guard value == 1 else { return }
                for next in 2...4 { subject.send(next) }
                // Subscriptions and terminations keep their place in the queue, whichever values are dropped.
                subject.subscribe(late, in: SignalSubscription())
                subject.send(5)
                subject.fail(.broken)
            },
            onTermination: { _ in }
        )
        let recorder = subject.signal.record()
        subject.send(1)
        #expect(recorder.events == sent.map { .value($0) } + [.ended(.failed(.broken))])
        #expect(late.events == sent.filter { $0 == 5 }.map { .value($0) } + [.ended(.failed(.broken))])
    }

    @Test("A value that a queue drops is released immediately")
    func whatAQueueDropsIsReleasedAtOnce() {
        let subject = Subject<Witness, Never>(whileDelivering: .dropOldest(1))
        let released = Box(false)
        subject.signal.take(1).subscribe { _ in
            weak var dropped: Witness?
            do {
                let witness = Witness()
                dropped = witness
                subject.send(witness)
            }
            subject.send(Witness())
            released.value = dropped == nil
        }
        subject.send(Witness())
        #expect(released.value)
    }
}
