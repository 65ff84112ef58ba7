import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Something that can be sent by while it delivers: each kind of subject, by its closures.
struct HotSource: Sendable {
    /// The kinds, for tests to make them of.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case subject, replaySubject, property, shared

        var testDescription: String { String(describing: self) }
    }

    let signal: Signal<Int, TestError>
    let send: @Sendable (Int) -> Void
    let end: @Sendable () -> Void
    /// What an observer begins with who comes when `last` has been sent.
    let beginning: @Sendable (_ last: Int) -> [Int]

    init(_ kind: Kind) {
        switch kind {
        case .subject, .shared:
            let subject = Subject<Int, TestError>()
            signal = kind == .shared ? subject.signal.share() : subject.signal
            send = { subject.send($0) }
            end = { subject.complete() }
            beginning = { _ in [] }
        case .replaySubject:
            let subject = ReplaySubject<Int, TestError>(limit: 1)
            signal = subject.signal
            send = { subject.send($0) }
            end = { subject.complete() }
            beginning = { [$0] }
        case .property:
            // It terminates when it is released.
            let property = Box<Property<Int>?>(Property(0))
            signal = property.value.map { $0.signal.setFailureType(to: TestError.self) } ?? .empty
            send = { property.value?.value = $0 }
            end = { property.value = nil }
            beginning = { [$0] }
        }
    }

    /// What an observer has before anything is sent.
    var first: [Int] { signal.record().values }
}

/// From where something is done while a delivery is under way.
enum Place: CaseIterable, CustomTestStringConvertible {
    case inside, elsewhere

    var testDescription: String {
        self == .inside ? "from inside" : "from another thread, which the delivery waits for"
    }

    /// Does it there, and comes back when it has been done.
    func perform(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .inside: body()
        case .elsewhere: onThreads(1) { _ in body() }
        }
    }
}
