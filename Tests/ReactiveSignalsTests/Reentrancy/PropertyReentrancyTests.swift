// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// The constructions in which properties of other libraries deadlock: reading, observing and setting a property while
/// it is being set.
@Suite struct PropertyReentrancyTests {
    @Test("A property can be read while it is set", arguments: Place.allCases)
    func aPropertyCanBeReadWhileItIsSet(_ place: Place) {
        let property = Property(0)
        let doubled = property.map { $0 * 2 }
        let sum = property.readOnly.combineLatest(with: doubled).map { $0.0 + $0.1 }
        let readings = Log<[Int]>()
        property.signal.subscribe { _ in place.perform { readings.add([property.value]) } }
        sum.signal.subscribe { _ in place.perform { readings.add([property.value, doubled.value]) } }
        property.value = 1
        #expect(readings.entries.last?.first == 1)
        #expect(sum.value == 3)
    }

    @Test("A property can be derived and observed while its source is set", arguments: Place.allCases)
    func aDerivedPropertyCanBeMadeAndObservedWhileItsSourceIsSet(_ place: Place) {
        let property = Property(0)
        let seen = Log<Int>()
        property.signal.skip(1).take(1).subscribe { _ in
            place.perform { property.map { $0 * 10 }.signal.subscribe { seen.add($0) } }
        }
        property.value = 1
        property.value = 2
        // A derived property lives as long as it is observed.
        #expect(seen.entries == [10, 20])
    }

    @Test("Two properties that follow each other settle", arguments: Place.allCases)
    func twoPropertiesThatFollowEachOtherSettle(_ place: Place) {
        let (first, second) = (Property(0), Property(0))
        first.signal.subscribe { value in place.perform { if second.value < value { second.value = value } } }
        second.signal.subscribe { value in place.perform { if first.value < value { first.value = value } } }
        first.value = 1
        #expect(second.value == 1)
        second.value = 2
        #expect(first.value == 2)
    }

    /// Each thread sets one property, whose observers set the other.
    @Test("Two threads may set each other's properties")
    func twoThreadsThatSetEachOthersPropertiesDoNotWait() {
        for _ in 0..<20 {
            let (first, second) = (Property(0), Property(0))
            first.signal.skipRepeats().subscribe { value in second.modify { $0 = max($0, value) } }
            second.signal.skipRepeats().subscribe { value in first.modify { $0 = max($0, value) } }
            onThreads(2) { thread in
                for value in 1...100 { (thread == 0 ? first : second).modify { $0 = max($0, value) } }
            }
            #expect(first.value == 100)
            #expect(second.value == 100)
        }
    }

    /// An observer that sets its own property again and again must not use the stack for it.
    @Test("A property that sets itself uses constant stack")
    func aPropertyThatAnswersItselfNeedsNoStack() {
        let last = Box(0)
        onSmallStack {
            let property = Property(0)
            property.signal.subscribe { if $0 < manyLevels { property.value = $0 + 1 } }
            last.value = property.value
        }
        #expect(last.value == manyLevels)
    }

    @Test("Circular bindings settle")
    func bindingsInACircleSettle() {
        let (first, second) = (Property(1), Property(2))
        let lifetime = Lifetime()
        second.signal.skip(1).skipRepeats().take(during: lifetime).subscribe { value in first.value = value }
        first.signal.skip(1).skipRepeats().take(during: lifetime).subscribe { value in second.value = value }
        first.value = 3
        #expect(second.value == 3)
        second.value = 4
        #expect(first.value == 4)
        lifetime.end()
    }
}
