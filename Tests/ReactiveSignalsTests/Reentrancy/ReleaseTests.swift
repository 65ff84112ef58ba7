// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// Law 3 for `deinit`: dropped and replaced objects are released while no lock is held.
///
/// The `deinit` of each value runs code on another thread and waits for it. Under a lock that would deadlock.
@Suite struct ReleaseTests {
    /// A value whose `deinit` runs a closure on another thread.
    final class Parting: Sendable {
        private let farewell: @Sendable () -> Void

        init(_ farewell: @escaping @Sendable () -> Void) { self.farewell = farewell }

        deinit { onThreads(1) { [farewell] _ in farewell() } }
    }

    typealias Partings = Signal<Parting, Never>

    /// Operators that store a value, and release it when the next one arrives or on termination.
    static let keepers: [(String, @Sendable (Partings, TestScheduler) -> Partings)] = [
        ("none", { signal, _ in signal }),
        ("scan", { signal, _ in signal.scan(Parting {}) { _, value in value } }),
        ("combinePrevious", { signal, _ in signal.combinePrevious().map { $0.value } }),
        ("combineLatest", { signal, _ in signal.combineLatest(with: Signal<Int, Never>.just(1)).map { $0.0 } }),
        ("zip", { signal, _ in signal.zip(with: Signal<Int, Never>(values: Naturals())).map { $0.0 } }),
        ("zip ahead", { signal, _ in signal.zip(with: Signal<Int, Never>.never).map { $0.0 } }),
        ("withLatest", { signal, _ in Signal<Int, Never>(values: 0..<3).withLatest(from: signal).map { $0.1 } }),
        ("sample", { signal, _ in signal.sample(on: Signal<Int, Never>.never) }),
        ("debounce", { signal, time in signal.debounce(.milliseconds(1), on: time) }),
        ("throttle", { signal, time in signal.throttle(.milliseconds(1), on: time) }),
        ("delay", { signal, time in signal.delay(.milliseconds(1), on: time) }),
        ("rateLimit", { signal, time in signal.rateLimit(1, per: .milliseconds(1), on: time) }),
        ("collect", { signal, _ in signal.collect(count: 2).compactMap(\.first) }),
        ("collect every", { signal, time in signal.collect(every: .milliseconds(1), on: time).compactMap(\.first) }),
        ("take last", { signal, _ in signal.take(last: 1) }),
        ("buffer", { signal, _ in signal.buffer(1, whenFull: .dropOldest) }),
        ("observe", { signal, time in signal.observe(on: time, limit: 1, whenFull: .dropOldest) }),
        ("observe newest", { signal, time in signal.observe(on: time, limit: 1, whenFull: .dropNewest) }),
        ("share", { signal, _ in signal.share(whilePaused: .dropOldest(1)) }),
        ("replay", { signal, _ in signal.replayLazily(upTo: 1) }),
        ("latest", { signal, _ in signal.flatMap(.latest) { Signal.just($0).concat(.never) } }),
        ("concat", { signal, _ in signal.flatMap(.concat) { Signal.just($0) } }),
        ("share replay", { signal, _ in signal.share(replay: 1) }),
        ("window", { signal, _ in signal.window(count: 2).flatMap { $0 } }),
        ("window without subscriber", { signal, _ in signal.window(count: 2).flatMap { _ in .empty } }),
        ("group", { signal, _ in signal.group(by: { _ in 0 }).flatMap { $0.signal } }),
    ]

    @Test(
        "The deinit of a stored value may send into the operator that stored it",
        arguments: keepers.map(\.0),
        [false, true]
    )
    func whatGoesMaySendIntoWhatKeptIt(_ name: String, _ isPaused: Bool) throws {
        let keep = try #require(Self.keepers.first { $0.0 == name }).1
        let time = TestScheduler()
        let subject = Subject<Parting, Never>(whilePaused: .dropOldest(1), whileDelivering: .dropOldest(1))
        let gone = Box(0)
        let subscription = SignalSubscription()
        keep(subject.signal, time).subscribe(in: subscription, onValue: { _ in })
        let hold = isPaused ? subscription.pause() : nil
        for _ in 0..<4 {
            subject.send(
                Parting {
                    gone.update { $0 += 1 }
                    // The last value, whose closure does nothing.
                    subject.send(Parting {})
                }
            )
            try time.advance(by: .milliseconds(2))
        }
        hold?.dispose()
        try time.advance(by: .seconds(1))
        subscription.dispose()
        subject.complete()
        try time.advance(by: .seconds(1))
        #expect(gone.value == 4)
    }

    @Test("The deinit of a property's old value may set the property")
    func whatAPropertyLetsGoOfMaySetIt() {
        let isGone = Box(false)
        let property = Box<Property<Parting>?>(nil)
        property.value = Property(
            Parting {
                property.value?.value = Parting {}
                isGone.value = true
            }
        )
        property.value?.value = Parting {}
        #expect(isGone.value)
        property.value = nil
    }

    @Test("The deinit of a disposable's member may dispose the disposable")
    func whatADisposableLetsGoOfMayDisposeIt() {
        let isGone = Box(0)
        let composite = CompositeDisposable()
        let serial = SerialDisposable()
        for _ in 0..<2 {
            let parting = Parting {
                composite.dispose()
                serial.dispose()
                isGone.update { $0 += 1 }
            }
            composite.add(AnyDisposable { withExtendedLifetime(parting) {} })
            serial.inner = AnyDisposable { withExtendedLifetime(parting) {} }
        }
        composite.dispose()
        serial.dispose()
        #expect(isGone.value == 2)
    }
}
