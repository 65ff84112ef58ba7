// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

/// Hops onto the main actor with more values than one job delivers.
///
/// The test occupies the main actor until it awaits, so values of other threads wait. The main actor runs its jobs in
/// the order of submission.
@MainActor
@Suite struct MainActorHopTests {
    private let ended: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    /// Work that the delivery of the first value submits.
    private let other = Box<Task<Void, Never>?>(nil)

    init() { (ended, end) = AsyncStream<Void>.makeStream() }

    @Test("Other work of the main actor runs between values that each send the next one")
    func chain() async throws {
        let subject = Subject<Int, Never>()
        let count = 50_000
        let (last, whenOtherRan) = (Box(0), Box(0))
        let (other, end) = (other, end)
        subject.signal.subscribe(
            onMain: { value in
                last.value = value
                if value == 1 { other.value = Task { @MainActor in whenOtherRan.value = last.value } }
                if value < count { subject.send(value + 1) } else { subject.complete() }
            },
            onTermination: { _ in end.finish() }
        )
        onThreads(1) { _ in subject.send(1) }
        for await _ in ended {}
        let task = try #require(other.value)
        await task.value
        #expect(last.value == count)
        #expect(whenOtherRan.value >= 1)
        #expect(whenOtherRan.value < count)
    }

    @Test("Other work of the main actor runs between the values of a long queue", arguments: [false, true])
    func queue(_ propagates: Bool) async throws {
        let subject = Subject<Int, Never>()
        let count = 5000
        let (log, strays, whenOtherRan) = (Log<Int>(), Box(0), Box(0))
        let other = other
        let hopped = subject.signal.observe(on: MainActorScheduler.shared, limit: 2 * count).map { value in
            if !MainActorScheduler.shared.isCurrent || propagates && Ambient.id != Ambient.subscriber {
                strays.increment()
            }
            log.add(value)
            if value == 0 { other.value = Task { @MainActor in whenOtherRan.value = log.count } }
            return value
        }
        follow(propagates ? hopped.propagating(Ambient.$id) : hopped)
        onThreads(1) { _ in
            for value in 0..<count { subject.send(value) }
            subject.complete()
        }
        #expect(log.count == 0)
        for await _ in ended {}
        let task = try #require(other.value)
        await task.value
        #expect(log.entries == Array(0..<count))
        #expect(strays.value == 0)
        #expect(whenOtherRan.value >= 1)
        #expect(whenOtherRan.value < count)
    }

    private func follow(_ signal: Signal<Int, Never>) {
        let end = end
        Ambient.$id.withValue(Ambient.subscriber) {
            _ = signal.subscribe(onValue: { _ in }, onTermination: { _ in end.finish() })
        }
    }
}
