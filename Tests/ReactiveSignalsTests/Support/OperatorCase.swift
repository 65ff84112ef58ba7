import ReactiveCore
import ReactiveSignals
import Testing

/// An operator, set up so that it changes nothing about one source: what the laws say must hold through it.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    let name: String
    let apply: @Sendable (Signal<Int, TestError>) -> Signal<Int, TestError>

    /// Whether values keep their order also where they are held back: what several signals send keeps it only for each.
    var keepsOrder: Bool { name != "flatMap(.merge)" && name != "flatMap(.concurrent(3))" && name != "all of them" }
    var testDescription: String { name }

    init(_ name: String, _ apply: @escaping @Sendable (Signal<Int, TestError>) -> Signal<Int, TestError>) {
        self.name = name
        self.apply = apply
    }

    static let all: [OperatorCase] = [
        OperatorCase("none") { $0 },
        OperatorCase("map") { $0.map { $0 + 1 }.map { $0 - 1 } },
        OperatorCase("compactMap") { $0.compactMap(Optional.init) },
        OperatorCase("filter") { $0.filter { _ in true } },
        OperatorCase("scan") { $0.scan(0) { _, value in value } },
        OperatorCase("mapError") { $0.mapError { $0 } },
        OperatorCase("take") { $0.take(.max) },
        OperatorCase("take(until:)") { $0.take(until: Signal<Int, Never>.never) },
        OperatorCase("merge") { $0.merge(with: .empty) },
        OperatorCase("flatMap(.merge)") { $0.flatMap { .just($0) } },
        OperatorCase("flatMap(.concat)") { $0.flatMap(.concat) { .just($0) } },
        OperatorCase("flatMap(.concurrent(3))") { $0.flatMap(.concurrent(limit: 3)) { .just($0) } },
        OperatorCase("handleEvents") { $0.handleEvents(onValue: { _ in }) },
        OperatorCase("share") { $0.share() },
        OperatorCase("share(whilePaused:)") { $0.share(whilePaused: .unbounded) },
        OperatorCase("observe(on: immediate)") { $0.observe(on: ImmediateScheduler.shared) },
        OperatorCase("subscribe(on: immediate)") { $0.subscribe(on: ImmediateScheduler.shared) },
        OperatorCase("Signal(source)") { signal in Signal(whilePaused: .unbounded) { signal.subscribe($0, in: $1) } },
        OperatorCase("all of them") { signal in
            signal.map { $0 }.filter { _ in true }.scan(0) { _, value in value }.take(.max)
                .take(until: Signal<Int, Never>.never).merge(with: .empty).flatMap { .just($0) }
                .flatMap(.concat) { .just($0) }.handleEvents(onValue: { _ in }).share()
                .observe(on: ImmediateScheduler.shared).subscribe(on: ImmediateScheduler.shared)
        },
    ]
}
