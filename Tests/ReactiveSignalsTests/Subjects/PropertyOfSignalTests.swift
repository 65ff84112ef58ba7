// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// The subscription of a property that was created from a signal, after that signal has terminated.
@Suite struct PropertyOfSignalTests {
    /// If the property does not stop the sequence, its initializer does not return.
    @Test("A property of the first values of an endless sequence has the last of them")
    func endlessSequence() {
        let property = ReadOnlyProperty(initial: -1, then: Signal<Int, Never>(values: Naturals()).take(3))
        #expect(property.value == 2)
        #expect(property.signal.record().events == [.value(2), .ended(.completed)])
    }

    @Test("A property cancels the timer of an interval when the signal completes")
    func interval() throws {
        let time = TestScheduler()
        let property = ReadOnlyProperty(initial: -1, then: Signal<Int, Never>.interval(.seconds(1), on: time).take(1))
        #expect(!time.isIdle)
        try time.advance(by: .seconds(1))
        #expect(time.isIdle)
        #expect(property.value == 0)
        #expect(property.signal.record().events == [.value(0), .ended(.completed)])
        withExtendedLifetime(property) {}
    }

    @Test("A property releases its subscriber and runs the teardown when the signal completes")
    func subject() {
        let subject = Subject<Int, Never>()
        let disposals = Box(0)
        weak var witness: Witness?
        let property: ReadOnlyProperty<Int>
        do {
            let strong = Witness()
            witness = strong
            property = ReadOnlyProperty(
                initial: 0,
                then: subject.signal
                    .handleEvents(onDispose: { disposals.increment() })
                    .map { value in
                        strong.touch()
                        return value
                    }
                    .take(1)
            )
        }
        let observer = property.signal.record()
        #expect(witness != nil)
        #expect(disposals.value == 0)
        subject.send(1)
        #expect(witness == nil)
        #expect(disposals.value == 1)
        subject.send(2)
        #expect(observer.events == [.value(0), .value(1), .ended(.completed)])
        #expect(property.value == 1)
        withExtendedLifetime(property) {}
    }

    @Test("A property runs the teardown of a signal that completes during the initializer")
    func completedImmediately() {
        let disposals = Box(0)
        let property = ReadOnlyProperty(
            initial: 0,
            then: Signal<Int, Never>(values: 1...3).handleEvents(onDispose: { disposals.increment() })
        )
        #expect(disposals.value == 1)
        #expect(property.value == 3)
        withExtendedLifetime(property) {}
    }
}
