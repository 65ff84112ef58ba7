// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSignals

/// The queue in front of every paused observer: order, policies, failures that overtake values, and the lifetime of
/// the owner.
@Suite struct PausableSinkTests {
    /// 200 random calls, compared with a model that keeps one list.
    @Test(
        "In random programs the sink matches the model",
        arguments: [BufferPolicy.unbounded, .dropOldest(0), .dropOldest(3), .dropNewest(0), .dropNewest(3)]
    )
    func randomProgramsDoWhatTheModelDoes(_ policy: BufferPolicy) {
        for seed in 0..<300 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let owner = Owner(policy)
            var model = Model(policy)
            for step in 0..<200 {
                let action = Action.random(step, &random)
                owner.perform(action)
                model.perform(action)
                #expect(owner.log.entries == model.log, "seed \(seed), step \(step), \(action)")
                #expect(owner.isHolding == !model.waiting.isEmpty, "seed \(seed), step \(step), \(action)")
                if owner.log.entries != model.log { return }
            }
            owner.subscription.dispose()
            owner.flush()
        }
    }

    @Test("Waiting values keep the owner alive until they are delivered")
    func valuesThatWaitKeepTheOwnerUntilTheyAreDelivered() {
        let subscription = SignalSubscription()
        weak var witness: Owner?
        do {
            let owner = Owner(.unbounded, subscription)
            witness = owner
            let handle = UnsafeTransfer(WeakHandle(owner))
            subscription.onFlowChange { isPaused in if !isPaused { handle.value.object?.flush() } }
            subscription.addPause()
            owner.perform(.send(1))
        }
        #expect(witness?.isHolding == true)
        subscription.removePause()
        #expect(witness == nil)
    }

    @Test("Waiting values keep the owner alive until a disposal")
    func valuesThatWaitKeepTheOwnerUntilADisposal() {
        let subscription = SignalSubscription()
        weak var witness: Owner?
        do {
            let owner = Owner(.unbounded, subscription)
            witness = owner
            let handle = UnsafeTransfer(WeakHandle(owner))
            subscription.onDispose { handle.value.object?.flush() }
            subscription.addPause()
            owner.perform(.send(1))
        }
        #expect(witness != nil)
        subscription.dispose()
        #expect(witness == nil)
    }

    @Test("The sink is released at the termination", arguments: [Action.complete, .fail, .dispose])
    func theSinkIsReleasedAtTheEnd(_ action: Action) {
        let owner = Owner(.unbounded)
        #expect(owner.witness != nil)
        owner.perform(.send(1))
        owner.perform(action)
        #expect(owner.witness == nil)
        owner.perform(.send(2))
        #expect(!owner.isHolding)
    }
}

// MARK: Operations of a program

/// One call. The observer pauses itself when it receives a multiple of 7.
enum Action: Sendable {
    case send(Int), complete, fail
    case pause(PauseKind), resume(PauseKind)
    case dispose

    static func random(_ step: Int, _ random: inout SplitMix64) -> Action {
        switch Int.random(in: 0..<100, using: &random) {
        case 0: .dispose
        case 1: .complete
        case 2: .fail
        case 3..<20: .pause(.bySubscriber)
        case 20..<30: .pause(.byOperator)
        case 30..<47: .resume(.bySubscriber)
        case 47..<57: .resume(.byOperator)
        default: .send(step)
        }
    }
}

/// The owner of a sink, which flushes after each change of the subscription.
private final class Owner {
    let subscription: SignalSubscription
    let log = Log<Event<Int, TestError>>()
    var sink: PausableSink<Int, TestError>
    weak var witness: Sink<Int, TestError>?
    /// The number of pauses of each kind.
    private let pauses = Box<[PauseKind: Int]>([:])

    init(_ policy: BufferPolicy, _ subscription: SignalSubscription = SignalSubscription()) {
        let (log, pauses) = (log, pauses)
        let receiver = RelaySink<Int, TestError>(
            { value in
                log.add(.value(value))
                guard value > 0, value % 7 == 0 else { return }
                subscription.addPause()
                pauses.update { $0[.bySubscriber, default: 0] += 1 }
            },
            { log.add(.ended($0)) }
        )
        witness = receiver
        self.subscription = subscription
        sink = PausableSink(receiver, subscription, policy)
    }

    var isHolding: Bool { sink.isHolding }

    func flush() { sink.flush(keeping: self) }

    func perform(_ action: Action) {
        switch action {
        case .send(let value): sink.receive(value, keeping: self)
        case .complete: sink.receive(termination: .completed, keeping: self)
        case .fail: sink.receive(termination: .failed(.broken), keeping: self)
        case .pause(let kind):
            subscription.addPause(kind)
            pauses.update { $0[kind, default: 0] += 1 }
        case .resume(let kind):
            guard pauses.value[kind, default: 0] > 0 else { return }
            pauses.update { $0[kind, default: 0] -= 1 }
            subscription.removePause(kind)
            flush()
        case .dispose:
            subscription.dispose()
            flush()
        }
    }
}

/// Laws 1, 9 and 11 with a single list.
private struct Model {
    private let policy: BufferPolicy
    private(set) var log: [Event<Int, TestError>] = []
    private(set) var waiting: [Event<Int, TestError>] = []
    private var pauses: [PauseKind: Int] = [:]
    private var hasEnded = false
    private var isDisposed = false

    init(_ policy: BufferPolicy) {
        self.policy = policy
    }

    private var isPaused: Bool { pauses.values.contains { $0 > 0 } }
    private var letsFailuresPass: Bool { isPaused && pauses[.bySubscriber, default: 0] == 0 }

    mutating func perform(_ action: Action) {
        switch action {
        case .send(let value): receive(.value(value))
        case .complete: receive(.ended(.completed))
        case .fail: receive(.ended(.failed(.broken)))
        case .pause(let kind): pauses[kind, default: 0] += 1
        case .resume(let kind):
            guard pauses[kind, default: 0] > 0 else { return }
            pauses[kind, default: 0] -= 1
            deliver()
        case .dispose:
            isDisposed = true
            waiting = []
        }
    }

    private mutating func receive(_ event: Event<Int, TestError>) {
        if hasEnded || isDisposed { return }
        if case .ended = event { hasEnded = true }
        waiting.append(event)
        deliver()
    }

    private mutating func deliver() {
        while let first = waiting.first {
            if isPaused { trim() }
            if isPaused, letsFailuresPass, waiting.last == .ended(.failed(.broken)) { waiting = waiting.suffix(1) }
            if isPaused, case .value? = waiting.first { return }
            guard let next = waiting.first else { return }
            waiting.removeFirst()
            log.append(next)
            if case .value(let value) = first, value > 0, value % 7 == 0 { pauses[.bySubscriber, default: 0] += 1 }
        }
    }

    private mutating func trim() {
        let values = waiting.filter { if case .value = $0 { true } else { false } }
        let end = waiting.dropFirst(values.count)
        let keepsFirst = policy == .dropNewest(policy.limit)
        waiting = Array(keepsFirst ? values.prefix(policy.limit) : values.suffix(policy.limit)) + end
    }
}
