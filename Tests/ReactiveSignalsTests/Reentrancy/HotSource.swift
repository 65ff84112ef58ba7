// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// A hot source that can send during a delivery: each kind of subject, through closures.
struct HotSource: Sendable {
    /// The kinds, from which tests create sources.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        case subject, replaySubject, property, shared

        var testDescription: String { String(describing: self) }
    }

    let signal: Signal<Int, TestError>
    let send: @Sendable (Int) -> Void
    let end: @Sendable () -> Void
    /// The values that an observer receives at its subscription if `last` was sent before.
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
            // The property terminates when it is released.
            let property = Box<Property<Int>?>(Property(0))
            signal = property.value.map { $0.signal.setFailureType(to: TestError.self) } ?? .empty
            send = { property.value?.value = $0 }
            end = { property.value = nil }
            beginning = { [$0] }
        }
    }

    /// The values that an observer receives before anything is sent.
    var first: [Int] { signal.record().values }
}

/// Where an operation runs during a delivery.
enum Place: CaseIterable, CustomTestStringConvertible {
    case inside, elsewhere

    var testDescription: String {
        self == .inside ? "from inside" : "from another thread, which the delivery waits for"
    }

    /// Runs `body` there, and returns when it has finished.
    func perform(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .inside: body()
        case .elsewhere: onThreads(1) { _ in body() }
        }
    }
}
