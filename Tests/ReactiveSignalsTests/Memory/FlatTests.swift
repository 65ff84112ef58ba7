// SPDX-License-Identifier: MIT
import Foundation
import HeapProbe
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// The number of events, and the memory growth that is allowed.
private enum Flat {
    /// The number of events for each operator. A tenth as many subscriptions are created and disposed.
    static let events = Int(ProcessInfo.processInfo.environment["FLAT_EVENTS"] ?? "") ?? 0
    /// The memory that the runtime and the test library may allocate during the measurement: far less than a byte for
    /// each event.
    static let tolerance = 64 * 1024
}

/// Measures memory growth over very many events and subscriptions, through each operator. `make flat` runs these
/// tests in a separate process, because allocations of other tests would be counted too.
@Suite(.serialized, .enabled(if: Flat.events > 0, "make flat runs it in a process of its own"))
struct FlatTests {
    @Test("Many events through an operator leave no memory behind", arguments: OperatorCase.without(.sendsAtEnd))
    func eventsLeaveNothingBehind(_ operation: OperatorCase) throws {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let seen = Box(0)
        bench.apply(subject.signal).subscribe(onValue: { seen.value = $0 }, onTermination: neverFails())
        bench.settle()
        var next = 1
        func send(_ count: Int) throws {
            for _ in 0..<max(1, count / 100) {
                for _ in 0..<100 {
                    subject.send(next)
                    next += 1
                }
                // Operators with timers need it: a millisecond for each value.
                try bench.time.advance(by: .milliseconds(200))
            }
        }
        try send(Flat.events / 10)
        let before = heap_bytes_in_use()
        try send(Flat.events)
        let growth = Int(heap_bytes_in_use()) - Int(before)
        #expect(growth < Flat.tolerance, "\(growth) bytes more after \(Flat.events) events")
        #expect(seen.value == next - 1)
        subject.complete()
        bench.settle()
    }

    /// These operators store everything until the termination.
    @Test("Collected values are released with the termination", arguments: OperatorCase.with(.sendsAtEnd))
    func whatIsCollectedGoesWithTheEnd(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let numbers = bench.apply(Signal(values: 1...100))
        let seen = Box(0)
        func run(_ count: Int) {
            for _ in 0..<max(1, count / 100) {
                numbers.subscribe(onValue: { seen.value = $0 }, onTermination: neverFails())
            }
        }
        run(Flat.events / 10)
        let before = heap_bytes_in_use()
        run(Flat.events)
        let growth = Int(heap_bytes_in_use()) - Int(before)
        #expect(growth < Flat.tolerance, "\(growth) bytes more after \(Flat.events) events")
        #expect(seen.value == 100)
    }

    @Test("Many subscriptions leave no memory behind", arguments: OperatorCase.all)
    func subscriptionsLeaveNothingBehind(_ operation: OperatorCase) {
        let bench = Bench(operation)
        let subject = Subject<Int, TestError>()
        let signal = bench.apply(subject.signal)
        func cycle(_ count: Int) {
            for index in 0..<max(1, count) {
                let subscription = signal.subscribe(onValue: { _ in }, onTermination: neverFails())
                subject.send(index)
                subscription.dispose()
                // Work submitted to a scheduler cannot be withdrawn.
                if index.isMultiple(of: 1000) { bench.settle() }
            }
            bench.settle()
        }
        cycle(Flat.events / 100)
        let before = heap_bytes_in_use()
        cycle(Flat.events / 10)
        let growth = Int(heap_bytes_in_use()) - Int(before)
        #expect(growth < Flat.tolerance, "\(growth) bytes more after \(Flat.events / 10) subscriptions")
    }
}
