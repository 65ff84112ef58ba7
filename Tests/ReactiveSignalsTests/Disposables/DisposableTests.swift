// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// Law 5: disposal is idempotent, thread-safe and explicit.
@Suite struct DisposableTests {
    @Test("An action runs once and is released")
    func anActionRunsOnceAndIsReleased() {
        let count = Box(0)
        weak var witness: Witness?
        let disposable: AnyDisposable
        do {
            let strong = Witness()
            witness = strong
            disposable = AnyDisposable {
                strong.touch()
                count.value += 1
            }
        }
        onThreads(8) { _ in disposable.dispose() }
        #expect(count.value == 1)
        #expect(disposable.isDisposed)
        #expect(witness == nil)
    }

    @Test("A composite disposes in order, and disposes late members immediately")
    func aCompositeDisposesInOrderAndLateOnesAtOnce() {
        let log = Log<Int>()
        let composite = CompositeDisposable([AnyDisposable { log.add(1) }])
        composite.add { log.add(2) }
        composite.dispose()
        composite.dispose()
        composite.add { log.add(3) }
        #expect(log.entries == [1, 2, 3])
    }

    @Test("A composite releases members that are disposed")
    func aCompositeForgetsWhatHasEnded() {
        let composite = CompositeDisposable()
        weak var first: AnyDisposable?
        for index in 0..<100 {
            let member = AnyDisposable {}
            if index == 0 { first = member }
            composite.add(member)
            member.dispose()
        }
        #expect(first == nil)
    }

    @Test("A serial disposable disposes its previous member")
    func aSerialOneDisposesTheOneBefore() {
        let log = Log<Int>()
        let serial = SerialDisposable(AnyDisposable { log.add(1) })
        serial.inner = AnyDisposable { log.add(2) }
        #expect(log.entries == [1])
        serial.inner = serial.inner
        #expect(log.entries == [1])
        serial.dispose()
        #expect(log.entries == [1, 2])
        serial.inner = AnyDisposable { log.add(3) }
        #expect(log.entries == [1, 2, 3])
        #expect(serial.inner == nil)
    }

    @Test("Only a scoped disposable disposes on release")
    func onlyAScopedOneDisposesWhenLetGoOf() {
        let log = Log<String>()
        do {
            _ = AnyDisposable { log.add("any") }
            _ = ScopedDisposable(AnyDisposable { log.add("scoped") })
        }
        #expect(log.entries == ["scoped"])
    }

    @Test("A subscription runs its teardowns once, in order, without a lock")
    func aSubscriptionTearsDownInOrderOnceAndOutsideItsLock() {
        let log = Log<Int>()
        let subscription = SignalSubscription()
        for index in 0..<4 {
            subscription.onDispose {
                // Each of these calls would deadlock if the lock were held.
                subscription.onDispose { log.add(index * 10) }
                _ = subscription.makeChild()
                subscription.pause().dispose()
                log.add(index)
            }
        }
        onThreads(4) { _ in subscription.dispose() }
        subscription.onDispose { log.add(99) }
        #expect(log.entries == [0, 0, 10, 1, 20, 2, 30, 3, 99])
    }

    @Test("Children are disposed and paused with their parent")
    func childrenEndAndWaitWithTheirParent() {
        let parent = SignalSubscription()
        let child = parent.makeChild()
        let grandchild = child.makeChild()
        let hold = parent.pause()
        #expect(grandchild.isPaused)
        #expect(parent.makeChild().isPaused)
        let own = grandchild.pause()
        hold.dispose()
        #expect(grandchild.isPaused)
        #expect(!child.isPaused)
        own.dispose()
        #expect(!grandchild.isPaused)
        child.dispose()
        #expect(grandchild.isDisposed)
        #expect(!parent.isDisposed)
        let last = parent.makeChild()
        parent.dispose()
        #expect(last.isDisposed)
        #expect(parent.makeChild().isDisposed)
    }

    @Test("Disposed children are released")
    func endedChildrenAreReleased() {
        let parent = SignalSubscription()
        weak var child: SignalSubscription?
        do {
            let strong = parent.makeChild()
            child = strong
            strong.dispose()
        }
        #expect(child == nil)
    }

    @Test("Deeply nested children are disposed without recursion")
    func deepChildrenEndWithoutRecursion() {
        let ends = Box(0)
        onSmallStack {
            let root = SignalSubscription()
            let last = (0..<10_000).reduce(root) { parent, _ in parent.makeChild() }
            last.onDispose { ends.value += 1 }
            root.dispose()
        }
        #expect(ends.value == 1)
    }

    @Test("A subscription of another type is supported")
    func anyOtherSubscriptionIsFollowed() {
        let foreign = ForeignSubscription()
        let subject = Subject<Int, Never>()
        let recorder = Recorder<Int, Never>()
        subject.subscribe(recorder, in: foreign)
        subject.send(1)
        let hold = foreign.pause()
        subject.send(2)
        #expect(recorder.values == [1])
        hold.dispose()
        #expect(recorder.values == [1, 2])
        subject.complete()
        #expect(recorder.end == .completed)
        #expect(foreign.isDisposed)
    }
}

/// A subscription type of a third party, which forwards to a `SignalSubscription`.
private final class ForeignSubscription: Subscription {
    private let inner = SignalSubscription()

    var isDisposed: Bool { inner.isDisposed }
    var isPaused: Bool { inner.isPaused }
    func dispose() { inner.dispose() }
    func onDispose(_ teardown: @escaping @Sendable () -> Void) { inner.onDispose(teardown) }
    func pause() -> any Disposable { inner.pause() }
    func onFlowChange(_ change: @escaping @Sendable (Bool) -> Void) { inner.onFlowChange(change) }
}
