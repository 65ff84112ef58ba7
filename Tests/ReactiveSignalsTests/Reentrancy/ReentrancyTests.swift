// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Operations on a source during its delivery, and their results: the table in Docs/Reentrancy.md (law 4).
///
/// Each operation runs inside the delivery, and also on another thread that the delivery waits for. A lock held
/// during the delivery, or a thread that waited for its turn, would deadlock.
@Suite struct ReentrancyTests {
    @Test("A nested send is delivered after the current value", arguments: HotSource.Kind.allCases, Place.allCases)
    func aNestedSendComesAfter(_ kind: HotSource.Kind, _ place: Place) {
        let source = HotSource(kind)
        let log = Log<String>()
        let before = source.signal.record()
        source.signal.subscribe(
            onValue: { value in
                log.add("begin \(value)")
                if value == 1 {
                    place.perform {
                        source.send(2)
                        source.send(3)
                    }
                }
                log.add("end \(value)")
            },
            onTermination: neverFails()
        )
        let after = source.signal.record()
        let first = kind == .property ? [0] : []
        source.send(1)
        #expect(before.values == first + [1, 2, 3])
        #expect(after.values == before.values)
        #expect(log.entries == (first + [1, 2, 3]).flatMap { ["begin \($0)", "end \($0)"] })
    }

    @Test(
        "An observer added during a delivery receives later values",
        arguments: HotSource.Kind.allCases,
        Place.allCases
    )
    func anObserverThatComesMeanwhileGetsWhatIsSentLater(_ kind: HotSource.Kind, _ place: Place) {
        let source = HotSource(kind)
        let late = Recorder<Int, TestError>()
        let before = source.signal.record()
        source.signal.subscribe(
            onValue: { value in
                guard value == 1 else { return }
                place.perform { source.signal.subscribe(late, in: SignalSubscription()) }
                place.perform { source.send(2) }
            },
            onTermination: neverFails()
        )
        source.send(1)
        source.send(3)
        #expect(before.values.suffix(3) == [1, 2, 3])
        #expect(late.values == source.beginning(1) + [2, 3])
    }

    @Test(
        "An observer disposed during a delivery receives nothing more",
        arguments: HotSource.Kind.allCases,
        Place.allCases
    )
    func anObserverDisposedMeanwhileGetsNothingMore(_ kind: HotSource.Kind, _ place: Place) {
        let source = HotSource(kind)
        let (own, other) = (SignalSubscription(), SignalSubscription())
        let before = source.signal.record()
        let log = Log<Int>()
        source.signal.subscribe(
            in: own,
            onValue: { value in
                log.add(value)
                guard value == 1 else { return }
                place.perform { other.dispose() }
                place.perform { own.dispose() }
                source.send(2)
            },
            onTermination: neverFails()
        )
        let after = source.signal.record(in: other)
        let first = kind == .property ? [0] : []
        source.send(1)
        source.send(3)
        #expect(before.values == first + [1, 2, 3])
        #expect(log.entries == first + [1])
        #expect(after.values == first)
        #expect(after.end == nil)
    }

    @Test(
        "A termination follows values sent before it and stops later ones",
        arguments: HotSource.Kind.allCases,
        Place.allCases
    )
    func anEndWaitsForWhatIsSentBeforeItAndStopsWhatIsSentAfter(_ kind: HotSource.Kind, _ place: Place) {
        let source = HotSource(kind)
        let before = source.signal.record()
        source.signal.subscribe(
            onValue: { value in
                guard value == 1 else { return }
                place.perform {
                    source.send(2)
                    source.end()
                    source.send(3)
                }
            },
            onTermination: neverFails()
        )
        let after = source.signal.record()
        source.send(1)
        source.send(4)
        #expect(before.values.suffix(2) == [1, 2])
        #expect(before.end == .completed)
        #expect(after.events == before.events)
    }

    @Test("An observer paused during a delivery keeps the order", arguments: HotSource.Kind.allCases, Place.allCases)
    func anObserverPausedMeanwhileKeepsTheOrder(_ kind: HotSource.Kind, _ place: Place) {
        let source = HotSource(kind)
        let subscription = SignalSubscription()
        let hold = Box<(any Disposable)?>(nil)
        let log = Log<Int>()
        source.signal.subscribe(
            in: subscription,
            onValue: { value in
                log.add(value)
                guard value == 1 else { return }
                place.perform { hold.value = subscription.pause() }
                place.perform { source.send(2) }
            },
            onTermination: neverFails()
        )
        let first = kind == .property ? [0] : []
        source.send(1)
        #expect(log.entries == first + [1])
        place.perform { hold.value?.dispose() }
        #expect(log.entries == first + [1, 2])
    }

    /// Observers send, dispose and subscribe during the deliveries.
    @Test(
        "Sends from eight threads arrive complete and in one order",
        arguments: [HotSource.Kind.subject, .replaySubject, .property]
    )
    func everythingAtOnceFromEightThreads(_ kind: HotSource.Kind) {
        let source = HotSource(kind)
        let first = source.signal.record()
        let passing = Box(0)
        source.signal.subscribe(
            onValue: { value in
                // An observer sends a reply to one value in sixteen, and none to a reply.
                if value > 0, value < 100_000, value.isMultiple(of: 16) { source.send(value + 100_000) }
            },
            onTermination: neverFails()
        )
        source.signal.subscribe(
            onValue: { value in
                guard value.isMultiple(of: 32) else { return }
                // Some observers take one value and complete.
                source.signal.take(1).subscribe(
                    onValue: { _ in passing.update { $0 += 1 } },
                    onTermination: neverFails()
                )
                let subscription = source.signal.subscribe(onValue: { _ in }, onTermination: neverFails())
                subscription.dispose()
            },
            onTermination: neverFails()
        )
        let last = source.signal.record()
        onThreads(8) { thread in
            for number in 1...250 { source.send(thread * 250 + number) }
        }
        source.end()
        let answers = (1...2000).filter { $0.isMultiple(of: 16) }.map { $0 + 100_000 }
        #expect(first.values.filter { $0 > 0 }.sorted() == (1...2000) + answers)
        #expect(last.events == first.events)
        for thread in 0..<8 {
            let own = first.values.filter { $0 > 0 && $0 <= 2000 && ($0 - 1) / 250 == thread }
            #expect(own == own.sorted())
        }
        #expect(passing.value > 0)
    }
}
