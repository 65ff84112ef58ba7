// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// One operator under test, with its own virtual time.
struct Bench: Sendable {
    let time = TestScheduler()
    let operation: OperatorCase

    init(_ operation: OperatorCase) { self.operation = operation }

    func apply(_ signal: Signal<Int, TestError>) -> Signal<Int, TestError> { operation.make(signal, time) }

    /// Advances time far enough for all delays of the operator, and for the work that they start.
    func settle() {
        do {
            try time.advance(by: .seconds(100))
        } catch {
            Issue.record(error)
        }
    }
}
