// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@Suite struct PropertyTests {
    @Test("A property sends its current value and then each change")
    func sendsThePresentValueAndThenTheChanges() {
        let property = Property(1)
        let recorder = property.signal.record()
        property.value = 2
        property.value = 2
        #expect(recorder.values == [1, 2, 2])
        #expect(property.value == 2)
    }

    @Test("A property completes when it is released")
    func completesWhenItGoes() {
        var property: Property<Int>? = Property(1)
        let view = property?.readOnly
        let recorder = property?.signal.record()
        property = nil
        #expect(recorder?.events == [.value(1), .ended(.completed)])
        #expect(view?.value == 1)
        #expect(view?.signal.record().events == [.value(1), .ended(.completed)])
    }

    /// Law 4: reading returns the latest value, also inside a delivery, and all observers receive it last.
    @Test("All observers receive a nested set last")
    func aNestedSetIsSeenByEveryoneLast() {
        let property = Property(0)
        let first = property.signal.record()
        let readings = Log<Int>()
        property.signal.subscribe { value in
            if value == 1 {
                property.value = 2
                readings.add(property.value)
            }
        }
        let last = property.signal.record()
        property.value = 1
        #expect(readings.entries == [2])
        #expect(first.values == [0, 1, 2])
        #expect(last.values == [0, 1, 2])
        #expect(property.value == 2)
    }

    @Test("After concurrent sets, every observer has received the latest value last")
    func concurrentSetsEndWithTheLatestForEveryone() {
        let property = Property(-1)
        let recorders = (0..<3).map { _ in property.signal.record() }
        onThreads(8) { thread in
            for number in 0..<300 { property.value = thread * 300 + number }
        }
        for recorder in recorders {
            #expect(recorder.values.count == 2401)
            #expect(recorder.values.last == property.value)
            #expect(recorder.values == recorders[0].values)
        }
    }

    @Test("Concurrent calls of modify lose nothing")
    func modifyLosesNothing() {
        let property = Property(0)
        let recorder = property.signal.record()
        onThreads(8) { _ in
            for _ in 0..<300 { property.modify { $0 += 1 } }
        }
        #expect(property.value == 2400)
        #expect(recorder.values == Array(0...2400))
    }

    @Test("A paused observer keeps only the latest value")
    func aPausedObserverKeepsTheLatestOnly() {
        let property = Property(0)
        let subscription = SignalSubscription()
        let recorder = property.signal.record(in: subscription)
        let hold = subscription.pause()
        for value in 1...3 { property.value = value }
        #expect(recorder.values == [0])
        hold.dispose()
        #expect(recorder.values == [0, 3])
    }

    @Test("Readers do not wait for observers")
    func readersDoNotWaitForObservers() {
        let property = Property(0)
        let (entered, leave) = (Latch(), Latch())
        property.signal.subscribe { value in
            guard value == 1 else { return }
            entered.arrive()
            try? leave.wait()
        }
        onThreads(2) { thread in
            if thread == 0 {
                property.value = 1
            } else {
                try entered.wait("the observer")
                #expect(property.value == 1)
                property.value = 2
                #expect(property.value == 2)
                leave.arrive()
            }
        }
        #expect(property.signal.record().values == [2])
    }

    @Test("Subscribers during sets receive all later values")
    func subscribersDuringSetsSeeNoGap() {
        let property = Property(0)
        let late = Log<Recorder<Int, Never>>()
        onThreads(4) { thread in
            for number in 0..<200 {
                if thread == 0 {
                    property.value = number + 1
                } else if number % 20 == 0 {
                    late.add(property.signal.record())
                }
            }
        }
        for recorder in late.entries {
            let values = recorder.values
            #expect(values.last == 200)
            #expect(values == Array((values.first ?? 0)...200))
        }
    }
}
