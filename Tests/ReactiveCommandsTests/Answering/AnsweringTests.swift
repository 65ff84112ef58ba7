// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Requests of a signal, the executions they start, and their replies.
@Suite struct AnsweringTests {
    private let work = ManualWork()
    private let requests = Subject<Int, TestError>()

    private func replies(
        _ command: Command<Int, Int, TestError>,
        _ order: ReplyOrder = .asRequested,
        limit: Int = 64,
        whenFull: RequestPolicy = .wait,
        whenDisposed: DisposalPolicy = .cancel
    ) -> Signal<Int, TestError> {
        requests.signal.execute(
            command,
            order: order,
            limit: limit,
            whenFull: whenFull,
            whenDisposed: whenDisposed
        ) { error, request in -request }
    }

    @Test("Replies arrive in the order of the requests")
    func repliesComeInTheOrderOfTheRequests() {
        let log = replies(work.command(.concurrent())).log()
        for request in 1...3 { requests.send(request) }
        work[2].send(30)
        work[2].complete()
        work[1].send(20)
        work[1].fail(.broken)
        #expect(log.values == [])
        work[0].send(10)
        #expect(log.values == [10])
        work[0].send(11)
        work[0].complete()
        #expect(log.values == [10, 11, 20, -2, 30])
        requests.complete()
        #expect(log.end == .completed)
    }

    @Test("With asFinished, replies arrive in the order of completion")
    func orAsTheyFinish() {
        let log = replies(work.command(.concurrent()), .asFinished).log()
        for request in 1...3 { requests.send(request) }
        requests.complete()
        work[2].send(30)
        work[0].send(10)
        work[2].complete()
        work[1].fail(.broken)
        work[0].complete()
        #expect(log.events == [.value(30), .value(10), .value(-2), .ended(.completed)])
    }

    @Test("A function's reply arrives immediately, but after the replies of earlier requests")
    func aFunctionIsAnsweredAtOnceAndAfterThoseBefore() {
        let function = Command<Int, Int, TestError>(trying: { input throws(TestError) in
            if input == 13 { throw .broken }
            return input * 10
        })
        let slow = work.command()
        let log = requests.signal.execute(choosing: { $0 < 100 ? function : slow }) { _, request in -request }.log()
        requests.send(1)
        requests.send(13)
        #expect(log.values == [10, -13])
        requests.send(100)
        requests.send(2)
        #expect(log.values == [10, -13])
        work[0].send(1000)
        work[0].complete()
        #expect(log.values == [10, -13, 1000, 20])
    }

    @Test("The requests are paused at the limit and resumed at half of it")
    func requestsAreHeldBackAtTheLimitAndGoOnAtHalfOfIt() {
        let sent = Box(0)
        let source = Signal<Int, TestError>(values: 1...10).handleEvents(onValue: { _ in sent.increment() })
        let log = source.execute(work.command(.concurrent()), limit: 4) { _, request in -request }.log()
        #expect(sent.value == 4)
        work[0].complete()
        #expect(sent.value == 4)
        work[1].complete()
        #expect(sent.value == 6)
        for index in 2..<6 { work[index].complete() }
        #expect(sent.value == 10)
        for index in 6..<10 { work[index].complete() }
        #expect(log.end == .completed)
    }

    @Test("Requests wait while the command accepts no execution")
    func requestsWaitForACommandThatTakesNoMore() {
        let sent = Box(0)
        let source = Signal<Int, TestError>(values: 1...5).handleEvents(onValue: { _ in sent.increment() })
        let command = work.command(.queue(limit: 1))
        let rejections = command.rejections.log()
        let log = source.execute(command) { _, request in -request }.log()
        // One request is executing, one is in the queue, and one waits for a slot.
        #expect(sent.value == 3)
        #expect(!command.isEnabled.value)
        let direct = command.execute(99).log()
        #expect(direct.events == [.ended(.failed(.rejected(.full)))])
        for index in 0..<5 {
            work[index].send(index)
            work[index].complete()
        }
        #expect(log.events == [0, 1, 2, 3, 4].map { .value($0) } + [.ended(.completed)])
        #expect(rejections.values == [.full])
    }

    @Test("Requests of several signals take turns")
    func requestsOfSeveralTakeTurns() {
        let command = work.command()
        let others = Subject<Int, TestError>()
        let (one, two) = (
            replies(command).log(), others.signal.execute(command) { _, request in -request }.log()
        )
        requests.send(1)
        others.send(2)
        requests.send(3)
        others.send(4)
        for index in 0..<4 {
            work[index].send(work.inputs[index] * 10)
            work[index].complete()
        }
        #expect(work.inputs == [1, 2, 3, 4])
        #expect(one.values == [10, 30])
        #expect(two.values == [20, 40])
    }

    @Test("With reject, a rejected request gets an error reply")
    func orAreRejectedWhichIsAReply() {
        let command = work.command()
        let errors = Recorder<CommandError<TestError>>()
        let log = requests.signal.execute(command, whenFull: .reject) { error, request in
            errors.append(error)
            return -request
        }.log()
        requests.send(1)
        requests.send(2)
        requests.send(3)
        #expect(log.values == [])
        work[0].send(10)
        work[0].complete()
        #expect(log.values == [10, -2, -3])
        #expect(errors.values == [.rejected(.busy), .rejected(.busy)])
        command.end()
        requests.send(4)
        #expect(log.values == [10, -2, -3, -4])
        #expect(log.end == nil)
    }

    @Test("A failure of the requests ends the replies and cancels the executions")
    func aFailureOfTheRequestsEndsAndCancels() {
        let log = replies(work.command(.concurrent())).log()
        requests.send(1)
        requests.send(2)
        work[1].send(20)
        requests.fail(.other)
        #expect(log.events == [.ended(.failed(.other))])
        #expect(work.disposed == [1, 2])
    }

    @Test(
        "Disposing the replies cancels the executions or lets them finish",
        arguments: [DisposalPolicy.cancel, .finish]
    )
    func lettingGoCancelsOrNot(_ policy: DisposalPolicy) {
        let command = work.command(.queue(limit: 5))
        let subscription = SignalSubscription()
        let log = replies(command, whenDisposed: policy).log(in: subscription)
        requests.send(1)
        requests.send(2)
        subscription.dispose()
        #expect(work.disposed == (policy == .cancel ? [1] : []))
        #expect(command.isExecuting.value == (policy == .finish))
        if policy == .finish {
            work[0].complete()
            #expect(work.inputs == [1, 2])
            work[1].complete()
        }
        #expect(!command.isExecuting.value)
        #expect(log.events.isEmpty)
    }

    @Test("When a waiting request is disposed, the next one is executed")
    func oneThatWaitsForAPlaceAndGoesLeavesItToTheNext() {
        let command = work.command()
        let subscription = SignalSubscription()
        _ = replies(command).log(in: subscription)
        let others = Subject<Int, TestError>()
        let log = others.signal.execute(command) { _, request in -request }.log()
        command.execute(0)
        requests.send(1)
        others.send(2)
        subscription.dispose()
        work[0].complete()
        #expect(work.inputs == [0, 2])
        work[1].complete()
        others.complete()
        #expect(log.events == [.ended(.completed)])
    }

    @Test("Executions whose reply must wait are paused")
    func worksThatHaveToWaitForTheirTurnAreHeldBack() {
        let sent = Box(0)
        let command = Command<Int, Int, TestError>(.concurrent()) { [work] input in
            input == 1
                ? work.signal(1)
                : Signal<Int, TestError>(values: 0..<1000).handleEvents(onValue: { _ in sent.increment() })
        }
        let log = replies(command).log()
        requests.send(1)
        requests.send(2)
        #expect(sent.value == 64)
        work[0].complete()
        #expect(log.values == Array(0..<1000))
    }

    @Test("Requests from many threads are each answered once")
    func fromManyThreadsEachIsAnsweredOnce() throws {
        let pool = WorkerPool(name: "answers", maximumThreads: 3)
        let command = Command<Int, Int, TestError>(.queue(limit: 8, running: 3)) { input in
            .perform(on: pool) { input }
        }
        let done = Latch()
        let values = Recorder<Int>()
        replies(command, limit: 16).subscribe(onValue: { values.append($0) }, onTermination: { _ in done.arrive() })
        let count = Platform.rounds(2000)
        let threads = (0..<4).map { thread in
            TestThread { [requests] in for number in 0..<count { requests.send(number * 4 + thread + 1) } }
        }
        for thread in threads { try thread.join() }
        requests.complete()
        try done.wait("the last reply")
        #expect(values.values.sorted() == Array(1...(count * 4)))
        // The replies to one thread are in order.
        for thread in 0..<4 {
            let own = values.values.filter { ($0 - 1) % 4 == thread }
            #expect(own == own.sorted())
        }
    }

    @Test("Disposed subscriptions retain nothing")
    func nothingIsKeptBySubscriptionsThatAreOver() {
        weak var witness: Witness?
        let subscription = SignalSubscription()
        do {
            let strong = Witness()
            witness = strong
            replies(work.command()).map { value in
                strong.touch()
                return value
            }.subscribe(in: subscription, onValue: { _ in }, onTermination: noFailure())
            requests.send(1)
        }
        #expect(witness != nil)
        subscription.dispose()
        #expect(witness == nil)
    }
}
