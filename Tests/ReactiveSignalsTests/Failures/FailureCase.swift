// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// An operator with its model. Each program uses a new model.
struct FailureCase: Sendable, CustomTestStringConvertible {
    typealias Numbers = Signal<Int, TestError>

    let name: String
    /// Whether the values that one step sends may arrive in any order.
    let isUnordered: Bool
    let model: @Sendable () -> OperatorModel
    let make: @Sendable ([Numbers], TestScheduler) -> Numbers

    var testDescription: String { name }

    init(
        _ name: String,
        isUnordered: Bool = false,
        _ model: @escaping @Sendable () -> OperatorModel,
        _ make: @escaping @Sendable ([Numbers], TestScheduler) -> Numbers
    ) {
        self.name = name
        self.isUnordered = isUnordered
        self.model = model
        self.make = make
    }

    private static func later(_ value: Int, _ time: TestScheduler) -> Numbers {
        Signal.timer(after: .seconds(1 + value % 3), on: time).map { value }
    }

    private static func neverEnding(_ limit: Int) -> FlatMapModel { FlatMapModel(.concurrent(limit), isEndless: true) }

    /// Operators that delay values. Those with a limit pause their sources.
    static let delaying = [
        FailureCase("delay", { DelayModel(3, limit: 2) }) { $0[0].delay(.seconds(3), on: $1, limit: 2) },
        FailureCase("delay, limit 5", { DelayModel(3, limit: 5) }) { $0[0].delay(.seconds(3), on: $1, limit: 5) },
        FailureCase("rateLimit", { RateLimitModel(2, limit: 2) }) {
            $0[0].rateLimit(1, per: .seconds(2), on: $1, limit: 2)
        },
        FailureCase("debounce", { LatestModel(.debounce, 2) }) { $0[0].debounce(.seconds(2), on: $1) },
        FailureCase("throttle", { LatestModel(.throttle, 2) }) { $0[0].throttle(.seconds(2), on: $1) },
        FailureCase("collect(every:)", { LatestModel(.collect, 2) }) {
            $0[0].collect(every: .seconds(2), on: $1).map(OperatorModel.sum)
        },
        FailureCase("observe(on:)", { HopModel() }) { $0[0].observe(on: $1, limit: 3) },
        FailureCase("concat", { FlatMapModel(.concurrent(1)) }) { inputs, time in
            inputs[0].flatMap(.concat) { later($0, time) }
        },
        FailureCase("concat of never", { FlatMapModel(.concurrent(1), isEndless: true) }) { inputs, _ in
            inputs[0].flatMap(.concat) { _ in .never }
        },
        FailureCase("concurrent of never", { FlatMapModel(.concurrent(3), isEndless: true) }) { inputs, _ in
            inputs[0].flatMap(.concurrent(limit: 3)) { _ in .never }
        },
        FailureCase("zip", { ZipModel() }) { inputs, _ in
            Signal.zip(inputs[0], inputs[1]).map { OperatorModel.sum([$0, $1]) }
        },
        FailureCase("zip of a collection", { ZipModel() }) { inputs, _ in Signal.zip(inputs).map(OperatorModel.sum) },
        FailureCase("combineLatest", { CombineLatestModel() }) { inputs, _ in
            Signal.combineLatest(inputs[0], inputs[1]).map { OperatorModel.sum([$0, $1]) }
        },
        FailureCase("merge", { MergeModel() }) { inputs, _ in .merge(inputs) },
        FailureCase("merge, concat of never", { MergedModel(neverEnding(1)) }) { inputs, _ in
            Signal.merge(inputs).flatMap(.concat) { _ in .never }
        },
        FailureCase("merge, concurrent of never", { MergedModel(neverEnding(3)) }) { inputs, _ in
            Signal.merge(inputs).flatMap(.concurrent(limit: 3)) { _ in .never }
        },
    ]

    /// Cases in which the source and the inner signals resume in the order of their subscriptions. A route changes
    /// that order.
    static let racing = [
        FailureCase("flatMap", isUnordered: true, { FlatMapModel(.concurrent(.max)) }) { inputs, time in
            inputs[0].flatMap { later($0, time) }
        },
        FailureCase("concurrent", isUnordered: true, { FlatMapModel(.concurrent(2)) }) { inputs, time in
            inputs[0].flatMap(.concurrent(limit: 2)) { later($0, time) }
        },
        FailureCase("latest", { FlatMapModel(.latest) }) { inputs, time in
            inputs[0].flatMap(.latest) { later($0, time) }
        },
        FailureCase("first", { FlatMapModel(.first) }) { inputs, time in inputs[0].flatMap(.first) { later($0, time) }
        },
    ]

    /// Operators that, as `OperatorCase` configures them, change nothing.
    static let passing = OperatorCase.without([.sendsAtEnd, .deliversLater, .conflates]).filter { operation in
        // These turn a termination into a value, which waits for a resume.
        !["materialize()", "dematerialize()"].contains(operation.name)
    }.map { operation in
        FailureCase(operation.name, { OperatorModel() }) { inputs, time in operation.make(inputs[0], time) }
    }
}

/// A chain from a subject to the operator that stores paused values elsewhere.
struct FailureRoute: Sendable, CustomTestStringConvertible {
    let name: String
    let keepsOrder: Bool
    let make: @Sendable (Signal<Int, TestError>) -> Signal<Int, TestError>

    var testDescription: String { name }

    init(
        _ name: String,
        keepsOrder: Bool = false,
        _ make: @escaping @Sendable (Signal<Int, TestError>) -> Signal<Int, TestError>
    ) {
        self.name = name
        self.keepsOrder = keepsOrder
        self.make = make
    }

    static let direct = FailureRoute("a subject") { $0 }

    static let all = [
        direct,
        FailureRoute("map") { $0.map { $0 }.filter { _ in true } },
        FailureRoute("an emitter") { signal in
            Signal { emitter, subscription in
                let input = SignalSubscription()
                subscription.onDispose { input.dispose() }
                signal.subscribe(emitter, in: input)
            }
        },
        FailureRoute("take(until:)") { $0.take(until: Signal<Int, Never>.never) },
        FailureRoute("merge") { $0.merge(with: .empty) },
        FailureRoute("share") { $0.share() },
        FailureRoute("share with a policy") { $0.share(whilePaused: .unbounded) },
        FailureRoute("observe(on:)") { $0.observe(on: ImmediateScheduler.shared, limit: 2) },
        FailureRoute("two hops") {
            $0.observe(on: ImmediateScheduler.shared, limit: 3).observe(on: ImmediateScheduler.shared, limit: 2)
        },
        FailureRoute("observe(on:) that drops nothing") {
            $0.observe(on: ImmediateScheduler.shared, limit: 1000, whenFull: .dropOldest)
        },
        FailureRoute("buffer") { $0.buffer(2) },
        FailureRoute("buffer behind a hop") { $0.observe(on: ImmediateScheduler.shared, limit: 2).buffer(3) },
        FailureRoute("group(by:)") { $0.group(by: { _ in 0 }).flatMap { $0.signal } },
        FailureRoute("concat of just") { $0.flatMap(.concat) { .just($0) } },
        FailureRoute("flatMapError", keepsOrder: true) { $0.flatMapError { .fail($0) } },
        FailureRoute("retry", keepsOrder: true) { $0.retry(upTo: 0) },
        FailureRoute("a wrapped source") { Signal(ForwardingSource(signal: $0)) },
        FailureRoute("a signal's closure", keepsOrder: true) { signal in
            Signal { emitter, subscription in signal.subscribe(emitter, in: subscription) }
        },
    ]
}

/// A source of another module, which `Signal(_:)` forwards.
private struct ForwardingSource: SignalSource {
    typealias Value = Int
    typealias Failure = TestError

    let signal: Signal<Int, TestError>

    func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Int, O.Failure == TestError {
        signal.subscribe(observer, in: subscription)
    }
}
