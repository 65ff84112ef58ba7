// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// An execution whose result is discarded reports a failure of the work, unless the command's observers receive it.
@Suite struct DiscardedResultTests {
    private struct Mine: Error, Equatable { let test: String }

    /// Stores its last job.
    private final class HeldScheduler: Scheduler {
        let job: Box<(@Sendable () -> Void)?>

        init(_ job: Box<(@Sendable () -> Void)?>) { self.job = job }

        var isCurrent: Bool { false }

        func execute(_ work: @escaping @Sendable () -> Void) { job.value = work }

        func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
            execute(work)
            return SignalSubscription()
        }
    }

    private func recorder(_ test: String) -> FailureRecorder {
        FailureRecorder { $0.error as? Mine == Mine(test: test) }
    }

    private func command(_ kind: Int, _ test: String) -> Command<Int, Int, Mine> {
        switch kind {
        case 0: Command(trying: { _ throws(Mine) in throw Mine(test: test) })
        default: Command { _ in .fail(Mine(test: test)) }
        }
    }

    @Test("The failure of a discarded execution is reported once", arguments: 0..<2)
    func discarded(_ kind: Int) {
        let recorder = recorder("discarded \(kind)")
        let command = command(kind, "discarded \(kind)")
        command.execute(1)
        #expect(recorder.operations == ["Command.execute"])
        // A binding discards the result of each execution.
        Signal<Int, Never>.just(2).bind(to: command.target)
        #expect(recorder.operations == ["Command.execute", "Command.execute"])
        withExtendedLifetime(command) {}
    }

    @Test("A failure that something receives is not reported", arguments: 0..<2, 0..<4)
    func received(_ kind: Int, _ way: Int) {
        let test = "received \(kind) \(way)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let seen = Box(0)
        switch way {
        case 0: command.execute(1).subscribe(onValue: { _ in }, onTermination: { _ in seen.increment() })
        case 1:
            command.errors.subscribe(onValue: { _ in seen.increment() })
            command.execute(1)
        case 2: command.apply(1).subscribe(onValue: { _ in }, onTermination: { _ in seen.increment() })
        default:
            let result = command.execute(1)
            #expect(recorder.failures.isEmpty)
            result.subscribe(onValue: { _ in }, onTermination: { _ in seen.increment() })
        }
        #expect(seen.value == 1)
        #expect(recorder.failures.isEmpty)
    }

    @Test("A failure is reported although observers receive other notifications", arguments: 0..<2, 0..<6)
    func otherObservers(_ kind: Int, _ way: Int) {
        let test = "other observers \(kind) \(way)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let subscription = SignalSubscription()
        switch way {
        case 0: command.values.subscribe(in: subscription) { _ in }
        case 1: command.completions.subscribe(in: subscription) { _ in }
        case 2: command.executions.subscribe(in: subscription) { _ in }
        case 3: command.rejections.subscribe(in: subscription) { _ in }
        case 4: command.isExecuting.signal.subscribe(in: subscription) { _ in }
        default: command.errors.subscribe { _ in }.dispose()
        }
        command.execute(1)
        #expect(recorder.operations == ["Command.execute"])
        subscription.dispose()
    }

    @Test("A failure whose observer then unsubscribes is not reported", arguments: 0..<2, 0..<2)
    func unsubscribing(_ kind: Int, _ way: Int) {
        let test = "unsubscribing \(kind) \(way)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let seen = Box(0)
        if way == 0 {
            command.errors.take(1).subscribe { _ in seen.increment() }
        } else {
            command.events.take(1).subscribe { _ in seen.increment() }
        }
        command.execute(1)
        #expect(seen.value == 1)
        #expect(recorder.failures.isEmpty)
        command.execute(2)
        #expect(seen.value == 1)
        #expect(recorder.operations == ["Command.execute"])
    }

    @Test("A failure is reported if its observer subscribes after it", arguments: 0..<2)
    func lateObserver(_ kind: Int) {
        let test = "late observer \(kind)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let seen = Box(0)
        // The end of the execution is notified after its failure.
        let subscription = command.isExecuting.signal.skip(2).subscribe { _ in
            command.errors.subscribe { _ in seen.increment() }
        }
        command.execute(1)
        #expect(seen.value == 0)
        #expect(recorder.operations == ["Command.execute"])
        subscription.dispose()
    }

    @Test("A failure that is queued for an observer, which unsubscribes first, is reported", arguments: 0..<2)
    func unsubscribingWhileQueued(_ kind: Int) {
        let test = "unsubscribing while queued \(kind)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let seen = Box(0)
        // The second failure is queued until the observer has returned.
        command.errors.take(1).subscribe { _ in
            seen.increment()
            command.execute(2)
        }
        command.execute(1)
        #expect(seen.value == 1)
        #expect(recorder.operations == ["Command.execute"])
    }

    @Test("A failure that a paused observer never receives is reported", arguments: 0..<2)
    func pausedObserver(_ kind: Int) {
        let test = "paused observer \(kind)"
        let recorder = recorder(test)
        let command = command(kind, test)
        let subscription = SignalSubscription()
        let pause = subscription.pause()
        command.errors.subscribe(in: subscription) { _ in }
        command.execute(1)
        #expect(recorder.failures.isEmpty)
        subscription.dispose()
        #expect(recorder.operations == ["Command.execute"])
        pause.dispose()
    }

    @Test("Each failure reaches an observer or is reported, whatever the threads do")
    func concurrentObservers() {
        let recorder = recorder("concurrent")
        let command = Command<Int, Int, Mine>(
            .concurrent(),
            trying: { _ throws(Mine) in throw Mine(test: "concurrent") }
        )
        let seen = Box(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<200 {
                if thread < 2 {
                    command.execute(1)
                } else {
                    command.errors.take(1).subscribe { _ in seen.increment() }
                }
            }
        }
        // One failure may reach several observers.
        #expect(recorder.failures.count <= 400)
        #expect(recorder.failures.count + seen.value >= 400)
    }

    @Test("A failure that a released scheduler does not deliver is reported")
    func releasedScheduler() throws {
        let recorder = recorder("released scheduler")
        let job = Box<(@Sendable () -> Void)?>(nil)
        let queue = HeldScheduler(job)
        let command = Command<Int, Int, Mine>(delivery: .onNextTurn(of: queue)) { _ in
            .fail(Mine(test: "released scheduler"))
        }
        command.errors.subscribe { _ in }
        job.value?()
        job.value = nil
        command.execute(1)
        #expect(recorder.failures.isEmpty)
        job.value = nil
        #expect(recorder.operations == ["Command.execute"])
    }

    @Test("A failure after the command's end is reported, even if its observers have not received the end")
    func afterTheEnd() throws {
        let recorder = recorder("after the end")
        let scheduler = TestScheduler()
        let subject = Subject<Int, Mine>()
        let command = Command<Int, Int, Mine>(delivery: .onNextTurn(of: scheduler)) { _ in subject.signal }
        let seen = Box(0)
        command.errors.subscribe { _ in seen.increment() }
        command.execute(1)
        try scheduler.run()
        command.end()
        subject.fail(Mine(test: "after the end"))
        try scheduler.run()
        #expect(seen.value == 0)
        #expect(recorder.operations == ["Command.execute"])
    }

    @Test("A rejection and a cancellation are not reported")
    func notFailures() {
        let recorder = FailureRecorder { $0.operation == "Command.execute" && $0.error is CommandError<Mine> }
        let command = Command<Int, Int, Mine> { _ in .never }
        command.execute(1)
        command.execute(2)
        command.end(.cancel)
        command.execute(3)
        #expect(recorder.failures.isEmpty)
        let cancelled = FailureRecorder { $0.error is CancellationError }
        Command<Int, Int, CancellationError> { _ in .fail(CancellationError()) }.execute(1)
        #expect(cancelled.failures.isEmpty)
    }
}
