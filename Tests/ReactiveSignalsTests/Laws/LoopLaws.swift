import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// The laws that a loop could break, through every operator and on every loop: order and count, one event at a time, the
/// loop's own thread, disposal, pause and release. What takes time takes the loop's.
@Suite struct LoopLaws {
    /// Sent by the loop's own work: all of it arrives, in order, as the loop's work, and is released.
    @Test(arguments: LoopKind.all, OperatorCase.all)
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
        // What subscribes on the loop has subscribed after that.
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

    /// Sent by another thread and brought to the loop: no value is lost, doubled or out of order.
    @Test(arguments: LoopKind.all, OperatorCase.without([.conflates, .drops]))
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

    /// Disposed by the loop's work while another thread sends: nothing comes after that.
    @Test(arguments: LoopKind.all, OperatorCase.without(.sendsAtEnd))
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
                // What waits for a silence gets one.
                if value.isMultiple(of: 3) { Machine.pause(.microseconds(1500)) }
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

    /// Paused by the loop's work while another thread sends: nothing comes until the resume, and then all of it.
    @Test(arguments: LoopKind.all, OperatorCase.without([.conflates, .sendsAtEnd, .drops]))
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
    /// Runs `body` as the loop's work, by turns taken here.
    fileprivate func onLoop(_ body: @escaping @Sendable () -> Void) throws {
        let isDone = Box(false)
        execute {
            body()
            isDone.value = true
        }
        try turns { isDone.value }
    }
}
