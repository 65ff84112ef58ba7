// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

// The snippet of Docs/Operators.md.

@Suite struct OperatorsSnippets {
    private enum Broken: Error, Equatable { case wire }

    @Test func aFailureDoesNotWaitForInnerSignals() {
        let requests = Subject<Int, Broken>()
        let replies = requests.signal.flatMap(.concat) { _ in Signal<String, Broken>.never }
        let recorder = TestScheduler().record(replies)
        requests.send(1)
        requests.fail(.wire)  // `replies` fails at once, although the inner signal never completes.
        #expect(recorder.termination == .failed(.wire))
    }
}
