import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// One operator under test, in virtual time of its own.
struct Bench: Sendable {
    let time = TestScheduler()
    let operation: OperatorCase

    init(_ operation: OperatorCase) { self.operation = operation }

    func apply(_ signal: Signal<Int, TestError>) -> Signal<Int, TestError> { operation.make(signal, time) }

    /// Lets as much time pass as any of the operators takes, and all that it starts in it.
    func settle() {
        do {
            try time.advance(by: .seconds(100))
        } catch {
            Issue.record(error)
        }
    }
}
