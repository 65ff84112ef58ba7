// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import Testing

extension LeakError {
    /// The names of the subscriptions.
    fileprivate var names: [String] {
        leaks.compactMap { leak in if case .subscription(let node) = leak { node.name } else { nil } }
    }
}

/// The error of a leak check. Inside of `#expect`, `#line` would be the line of the macro.
private func leakError(_ check: () throws -> Void) throws -> LeakError? {
    do {
        try check()
        return nil
    } catch let error as LeakError {
        return error
    }
}

/// Other tests run at the same time. They subscribe, and make loops.
@Suite struct LeakCheckTests {
    private let subject = Subject<Int, Never>()

    @Test("A live subscription is reported with its file and line")
    func aLiveSubscriptionIsReported() throws {
        let line = UInt(#line) + 3
        let error = try leakError {
            try withLeakCheck(for: .subscriptions, within: .zero) {
                subject.signal.map { $0 + 1 }.flatMap { Signal<Int, Never>.just($0) }.subscribe { _ in }
                subject.signal.named("requests").subscribe { _ in }
            }
        }
        let leaks = try #require(error?.leaks)
        #expect(error?.names == ["subscription", "requests"])
        for (index, leak) in leaks.enumerated() {
            guard case .subscription(let node) = leak else { continue }
            #expect(node.file == "ReactiveTestingTests/LeakCheckTests.swift")
            #expect(node.line == line + UInt(index))
            #expect(error?.description.contains("LeakCheckTests.swift:\(line + UInt(index))") == true)
        }
        let head = "2 leaks found by the leak check at ReactiveTestingTests/LeakCheck"
        #expect(error?.description.hasPrefix(head) == true)
        #expect(error?.line == line - 1)
    }

    @Test("Nothing is reported that has ended, has been released, or began before")
    func whatIsOverIsNotReported() throws {
        let before = subject.signal.subscribe { _ in }
        defer { before.dispose() }
        let result = try withLeakCheck(for: [.subscriptions, .loops]) {
            subject.signal.subscribe { _ in }.dispose()
            Signal<Int, Never>.just(1).subscribe { _ in }
            let other = Subject<Int, Never>()
            other.signal.subscribe { _ in }
            let time = TestScheduler()
            let recorder = time.record(time.cold("-a-b").signal)
            try time.advance(by: .seconds(2))
            // The next event waits in the scheduler, and retains the recorder, which retains the scheduler.
            recorder.subscription.dispose()
            return recorder.values
        }
        #expect(result == ["a"])
    }

    @Test("A recorder is reported with the line that created it")
    func aRecorderIsReported() throws {
        let time = TestScheduler()
        let line = UInt(#line) + 2
        let error = try leakError {
            try withLeakCheck(for: .subscriptions, within: .zero) { _ = time.record(subject.signal) }
        }
        guard case .subscription(let node)? = error?.leaks.first else { return #expect(Bool(false)) }
        #expect(node.line == line)
        #expect(node.file == "ReactiveTestingTests/LeakCheckTests.swift")
    }

    @Test("The error of the body is thrown, without a check")
    func theErrorOfTheBodyIsThrown() {
        #expect(throws: TestError.broken) {
            try withLeakCheck(for: .subscriptions) {
                subject.signal.subscribe { _ in }
                throw TestError.broken
            }
        }
    }

    @Test("The error of an async body is thrown, without a check")
    func theErrorOfAnAsyncBodyIsThrown() async {
        let subject = subject
        await #expect(throws: TestError.broken) {
            try await withLeakCheck(for: .subscriptions) {
                await Task.yield()
                subject.signal.subscribe { _ in }
                throw TestError.broken
            }
        }
    }

    @Test("Checks nest: the outer one also reports what the inner one reports")
    func checksNest() {
        let outer = #expect(throws: LeakError.self) {
            try withLeakCheck(for: .subscriptions, within: .zero) { () throws -> Void in
                subject.signal.named("nested first").subscribe { _ in }
                do {
                    try withLeakCheck(for: .subscriptions, within: .zero) {
                        _ = subject.signal.named("nested second").subscribe { _ in }
                    }
                    Issue.record("the inner check has found nothing")
                } catch let error as LeakError {
                    #expect(error.names == ["nested second"])
                }
                subject.signal.named("nested third").subscribe { _ in }
                try withLeakCheck(for: .subscriptions, within: .zero) {}
            }
        }
        #expect(outer?.names == ["nested first", "nested second", "nested third"])
    }

    @Test("Checks that run at the same time report only their own subscriptions")
    func checksRunAtTheSameTime() async {
        let subject = subject
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let error = await #expect(throws: LeakError.self) {
                        try await withLeakCheck(for: [.subscriptions, .loops], within: .zero) {
                            subject.signal.named("own \(number)").subscribe { _ in }
                            await Task.yield()
                            _ = await Task { subject.signal.named("task \(number)").subscribe { _ in } }.value
                            _ = await Task.detached { subject.signal.named("elsewhere").subscribe { _ in } }.value
                        }
                    }
                    #expect(error?.names == ["own \(number)", "task \(number)"])
                }
            }
        }
    }

    @Test("A subscription that another thread disposes within the limit is no leak")
    func whatEndsALittleLaterIsNoLeak() throws {
        try withLeakCheck(for: .subscriptions, within: .seconds(900)) {
            let subscription = subject.signal.subscribe { _ in }
            _ = SystemThread.orTrap(name: "disposes") { subscription.dispose() }
        }
    }

    @Test("The async form also waits for other threads")
    func theAsyncFormAlsoWaits() async throws {
        try await withLeakCheck(for: .subscriptions, within: .seconds(900)) {
            let subscription = subject.signal.subscribe { _ in }
            await Task.yield()
            _ = SystemThread.orTrap(name: "disposes") { subscription.dispose() }
        }
    }

    @Test("The body of the async form runs on the caller's actor")
    @MainActor
    func theAsyncFormStaysOnItsActor() async throws {
        var values = [1]
        let count = try await withLeakCheck(for: .subscriptions) {
            MainActor.assertIsolated()
            await Task.yield()
            values.append(2)
            return values.count
        }
        #expect(count == 2)
    }
}
