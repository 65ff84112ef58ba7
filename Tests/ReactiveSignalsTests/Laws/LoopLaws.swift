// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// The laws that a loop could violate, through every operator and on every loop: order and count, one event at a
/// time, the loop's thread, disposal, pause and release. Operators with timers use the loop's timers.
@Suite struct LoopLaws {
    @Test(
        "Values sent on the loop arrive in order on the loop, and are released",
        arguments: LoopKind.all,
        OperatorCase.all
    )
    func whatALoopSendsComesInOrderAsItsWork(_ kind: LoopKind, _ operation: OperatorCase) throws {
        let loop = try kind.make()
        let subject = Subject<Int, TestError>()
        let recorder = Recorder<Int, TestError>()
        let elsewhere = Box(0)
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            operation.make(subject.signal, loop).handleEvents(
                onValue: { _ in
                    strong.touch()
                    if !loop.isCurrent { elsewhere.update { $0 += 1 } }
                }
            ).subscribe(recorder, in: SignalSubscription())
        }
        // Operators that subscribe on the loop have subscribed by then.
        try loop.turns(2)
        for value in 1...10 { loop.execute { subject.send(value) } }
        loop.execute { subject.complete() }
        try loop.turns { recorder.end != nil }
        #expect(recorder.end == .completed)
        #expect(elsewhere.value == 0)
        if operation.traits.contains(.conflates) {
            #expect(recorder.values.last == 10)
            #expect(recorder.values == recorder.values.sorted())
        } else {
            #expect(recorder.values == Array(1...10))
        }
        #expect(witness == nil)
        loop.dispose()
    }

    @Test(
        "Values that another thread sends arrive on the loop complete and in order",
        arguments: LoopKind.all,
        OperatorCase.without([.conflates, .drops])
    )
    func whatAnotherThreadSendsIsBroughtInOrder(_ kind: LoopKind, _ operation: OperatorCase) throws {
        let loop = try kind.make()
        let subject = Subject<Int, TestError>()
        let overlaps = Box(0)
        let isBusy = Box(false)
        let recorder = operation.make(subject.signal, loop).observe(on: loop).handleEvents(
            onValue: { _ in
                if isBusy.value || !loop.isCurrent { overlaps.update { $0 += 1 } }
                isBusy.value = true
                isBusy.value = false
            }
        ).record()
        try loop.turns(2)
        let sender = TestThread {
            for value in 1...100 { subject.send(value) }
            subject.complete()
        }
        try loop.turns { recorder.end != nil }
        try sender.join()
        #expect(recorder.values == Array(1...100))
        #expect(recorder.end == .completed)
        #expect(overlaps.value == 0)
        loop.dispose()
    }

    /// Another thread sends while the loop disposes the subscription.
    @Test("Nothing arrives after a disposal on the loop", arguments: LoopKind.all, OperatorCase.without(.sendsAtEnd))
    func nothingComesAfterADisposalOnTheLoop(_ kind: LoopKind, _ operation: OperatorCase) throws {
        let loop = try kind.make()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let isOver = Box(false)
        let recorder = operation.make(subject.signal, loop).observe(on: loop).record(in: subscription)
        try loop.turns(2)
        let sender = TestThread {
            var value = 0
            while !isOver.value {
                subject.send(value)
                value += 1
                // Operators that wait for a pause between values get one.
                if value.isMultiple(of: 3) { Platform.pause(.microseconds(1500)) }
            }
        }
        try loop.turns { recorder.values.count >= 3 }
        let seen = Box(0)
        try loop.onLoop {
            subscription.dispose()
            seen.value = recorder.values.count
        }
        try loop.turns(5)
        isOver.value = true
        try sender.join()
        try loop.turns(5)
        #expect(recorder.values.count == seen.value)
        #expect(recorder.end == nil)
        loop.dispose()
    }

    /// Another thread sends while the loop pauses the subscription.
    @Test(
        "Nothing arrives during a pause on the loop, and everything after it",
        arguments: LoopKind.all,
        OperatorCase.without([.conflates, .sendsAtEnd, .drops])
    )
    func nothingComesDuringAPauseOnTheLoop(_ kind: LoopKind, _ operation: OperatorCase) throws {
        let loop = try kind.make()
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        let recorder = operation.make(subject.signal, loop).observe(on: loop).record(in: subscription)
        try loop.turns(2)
        let sender = TestThread {
            for value in 1...100 { subject.send(value) }
            subject.complete()
        }
        try loop.turns { recorder.values.count >= 3 }
        let seen = Box(0)
        let hold = Box<(any Disposable)?>(nil)
        try loop.onLoop {
            hold.value = subscription.pause()
            seen.value = recorder.values.count
        }
        try sender.join()
        try loop.turns(5)
        #expect(recorder.values.count == seen.value)
        try loop.onLoop { hold.value?.dispose() }
        try loop.turns { recorder.end != nil }
        #expect((operation.keepsOrder ? recorder.values : recorder.values.sorted()) == Array(1...100))
        loop.dispose()
    }
}

extension LoopScheduler {
    /// Runs `body` on the loop, by turns that this function runs.
    fileprivate func onLoop(_ body: @escaping @Sendable () -> Void) throws {
        let isDone = Box(false)
        execute {
            body()
            isDone.value = true
        }
        try turns { isDone.value }
    }
}
