// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveTesting
import Testing

/// Misuses of the API. Each key is the sentence that its misuse prints.
private let misuses: [String: @Sendable () throws -> Void] = [
    "a frame of a marble line must take at least a nanosecond, not 0.0 seconds": { _ = TestScheduler(frame: .zero) },
    "virtual time does not go back: -1ns is before 0ns": { try TestScheduler().advance(by: .nanoseconds(-1)) },
    "this TestScheduler is already advancing: do not advance it in its own work or on two threads at once": {
        let scheduler = TestScheduler()
        scheduler.execute { try? scheduler.advance(by: .zero) }
        try scheduler.advance(by: .zero)
    },
    "this code must run as work of its TestScheduler, but runs elsewhere": { TestScheduler().checkIsolated() },
    "'(a(': '(' at 2 is inside a group: end that group first": { _ = Marbles("(a(") },
    "'a)': ')' at 1 ends no group: begin one with '('": { _ = Marbles("a)") },
    "'(a-': '-' at 2 is inside a group: move the '-' out, because a group takes one frame": { _ = Marbles("(a-") },
    "'(ab': the last group does not end: add ')'": { _ = Marbles("(ab") },
    "'a.': '.' at 1 means nothing: use a letter or a digit for a value": { _ = Marbles("a.") },
    "marks must be in the order of their frames: frame 1 follows a later frame": {
        _ = Marbles([(frame: 2, mark: .completed), (frame: 1, mark: .value("a"))])
    },
    "'-#': this source cannot fail: pass 'failure:' for its '#'": { _ = TestScheduler().cold("-#") },
    "no value is given for 'b': add it to 'values'": { _ = TestScheduler().cold("ab", values: ["a": 1]) },
]

@Suite struct MisuseTests {
    @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
    func sentence(_ sentence: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
            try misuses[sentence]!()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(sentence))
    }
}
