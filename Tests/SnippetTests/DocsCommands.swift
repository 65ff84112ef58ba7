// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

// The snippets of the catalogue of ReactiveCommands. Each test runs one and compares what it prints.

private let printed = PrintedLines()

/// Replaces the standard library's function, so that a test can read what a snippet prints.
private func print(_ items: Any...) { printed.add(items) }

private func saving() throws {
    let time = TestScheduler()
    let save = Command<String, Int, Never> { text in
        Signal<Void, Never>.timer(after: .seconds(2), on: time).replaceValues(with: text.count)
    }
    save.isExecuting.signal.subscribe(onValue: { print($0 ? "saving" : "idle") })  // Prints "idle".
    save.values.subscribe(onValue: { print("saved \($0) characters") })
    save.rejections.subscribe(onValue: { print("rejected:", $0) })

    save.execute("draft")  // Prints "saving".
    save.execute("second draft")  // Prints "rejected: busy".
    try time.advance(by: .seconds(2))  // Prints "saved 5 characters", "idle".
    save.end()
}

private func searching() throws {
    let time = TestScheduler()
    let search = Command<String, String, Never>(.latest) { query in
        Signal<Void, Never>.timer(after: .milliseconds(200), on: time).replaceValues(with: "results for \(query)")
    }
    search.values.subscribe(onValue: { print($0) })
    search.execute("sw")
    search.execute("swift")  // Cancels the search for "sw".
    try time.advance(by: .seconds(1))  // Prints "results for swift".
    search.end()
}

private func enabling() {
    let text = Property("")
    let copy = Command<Int, String, Never>(state: text.readOnly, enabledIf: { !$0.isEmpty }) { text, count in
        .just(String(repeating: text, count: count))
    }
    print(copy.isEnabled.value)  // Prints "false".
    text.value = "ab"
    print(copy.isEnabled.value)  // Prints "true".
    copy.execute(2).subscribe(onValue: { print($0) }, onTermination: { print($0) })  // Prints "abab", "completed".
}

private struct NoText: Error {}

private func answering() {
    let shout = Command<String, String, NoText>(trying: { text throws(NoText) in
        if text.isEmpty { throw NoText() }
        return text.uppercased()
    })
    let requests = Subject<String, Never>()
    requests.signal
        .execute(shout, onError: { _, _ in "no text" })
        .subscribe(onValue: { print($0) })
    requests.send("hello")  // Prints "HELLO".
    requests.send("")  // Prints "no text".
}

@Suite(.serialized) struct DocsCommands {
    private func expect(_ lines: [String], _ snippet: () throws -> Void) rethrows {
        let before = printed.lines.count
        try snippet()
        #expect(Array(printed.lines.dropFirst(before)) == lines)
    }

    @Test func aSerialCommandRejectsASecondExecution() throws {
        try expect(["idle", "saving", "rejected: busy", "saved 5 characters", "idle"], saving)
    }
    @Test func theLatestExecutionCancelsTheOneBefore() throws { try expect(["results for swift"], searching) }
    @Test func aStateEnablesACommand() { expect(["false", "true", "abab", "completed"], enabling) }
    @Test func requestsAreAnswered() { expect(["HELLO", "no text"], answering) }
}
