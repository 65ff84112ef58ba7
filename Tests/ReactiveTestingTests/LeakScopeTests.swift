// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveTesting
import Testing

/// The scheduler of the main actor belongs to no leak check, even if one has created it.
@Suite struct LeakScopeTests {
    @Test("Work on the main actor does not belong to the check that used the main actor first")
    func workOnTheMainActor() async throws {
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        try await withLeakCheck(for: .subscriptions, within: .zero) {
            _ = MainActorScheduler.shared.isCurrent
            await withCheckedContinuation { continuation in
                _ = Task.detached {
                    MainActorScheduler.shared.execute {
                        subject.signal.subscribe(in: subscription) { _ in }
                        continuation.resume()
                    }
                }
            }
        }
        #expect(!subscription.isDisposed)
        subscription.dispose()
    }

    @Test("Work on the main actor that a leak check submits belongs to it")
    func workOfTheCheck() async throws {
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        await #expect(throws: LeakError.self) {
            try await withLeakCheck(for: .subscriptions, within: .zero) {
                await withCheckedContinuation { continuation in
                    MainActorScheduler.shared.execute {
                        subject.signal.subscribe(in: subscription) { _ in }
                        continuation.resume()
                    }
                }
            }
        }
        subscription.dispose()
    }
}
