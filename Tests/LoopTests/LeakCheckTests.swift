// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    /// Leak checks of loops and of descriptors. Other tests make loops and open descriptors at the same time.
    @Suite struct LeakChecks {
        private struct MadeLoops: Sendable {
            var loops: [any LoopScheduler] = []
        }

        @Test("A loop that is not disposed is reported by its name", arguments: LoopKind.all)
        func aLoopIsReported(_ kind: LoopKind) throws {
            let made = Box(MadeLoops())
            defer { for loop in made.value.loops { loop.dispose() } }
            let error = #expect(throws: LeakError.self) {
                try withLeakCheck(for: .loops, within: .zero) {
                    let (owned, called) = (try kind.make(name: "owned", thread: .owned), try kind.make(name: "called"))
                    made.update { made in made.loops = [owned, called] }
                }
            }
            #expect(error?.leaks == [.loop(name: "owned"), .loop(name: "called")])
        }

        @Test("A loop that is disposed or released is no leak, and a main loop is none", arguments: LoopKind.all)
        func aDisposedLoopIsNoLeak(_ kind: LoopKind) throws {
            try withLeakCheck(for: [.subscriptions, .loops], within: .seconds(Latch.limit)) {
                let loop = try kind.make(name: "owned", thread: .owned)
                loop.execute {}
                loop.dispose()
                _ = try kind.make(name: "called")
                _ = kind.main
            }
        }

        @Test(
            "A loop that was dropped with a task in its queue is reported, and released when the task has ended",
            arguments: LoopKind.all,
            [true, false]
        )
        func aTaskRetainsItsLoop(_ kind: LoopKind, _ isDisposed: Bool) throws {
            weak var dropped: (any LoopScheduler)?
            let error = #expect(throws: LeakError.self) {
                try withLeakCheck(for: .loops, within: .zero) {
                    let loop = try kind.make(name: "dropped")
                    dropped = loop
                    Task.detached(executorPreference: loop) {}
                }
            }
            #expect(error?.leaks == [.loop(name: "dropped")])
            if isDisposed { dropped?.dispose() } else { try dropped?.runUntilIdle() }
            try waitUntil("the release of the loop") { dropped == nil }
        }

        @Test("A loop that was dropped with a suspended task is released after its disposal", arguments: LoopKind.all)
        func aSuspendedTaskReleasesItsLoop(_ kind: LoopKind) throws {
            weak var dropped: (any LoopScheduler)?
            let continuation = Box<CheckedContinuation<Void, Never>?>(nil)
            do {
                let loop = try kind.make(name: "suspended")
                dropped = loop
                Task.detached(executorPreference: loop) {
                    await withCheckedContinuation { continuation.value = $0 }
                }
                try loop.turns { continuation.value != nil }
            }
            dropped?.dispose()
            continuation.value?.resume()
            continuation.value = nil
            try waitUntil("the release of the loop") { dropped == nil }
        }

        @Test("A subscription that begins on a loop's thread is the check's if the loop is", arguments: LoopKind.all)
        func aSubscriptionOnALoopIsReported(_ kind: LoopKind) throws {
            let subject = Subject<Int, Never>()
            let existing = try kind.make(name: "existing", thread: .owned)
            defer { existing.dispose() }
            let error = #expect(throws: LeakError.self) {
                try withLeakCheck(for: .subscriptions, within: .zero) {
                    let loop = try kind.make(name: "own", thread: .owned)
                    defer { loop.dispose() }
                    let done = Latch(2)
                    loop.execute {
                        subject.signal.named("on the loop of the check").subscribe { _ in }
                        done.arrive()
                    }
                    existing.execute {
                        subject.signal.named("on a loop that existed").subscribe { _ in }
                        done.arrive()
                    }
                    try done.wait()
                }
            }
            #expect(error?.leaks.count == 1)
            #expect(error?.description.contains("on the loop of the check at LoopTests/LeakCheckTests.swift:") == true)
        }

        @Test("An open descriptor is reported with its number and its target")
        func aDescriptorIsReported() throws {
            let before = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
            defer { close(before) }
            let opened = Box<Int32>(-1)
            let error = #expect(throws: LeakError.self) {
                try withLeakCheck(for: .descriptors, within: .milliseconds(1)) {
                    opened.value = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
                }
            }
            let target = "/proc/\(getpid())/status"
            #expect(error?.leaks.contains(.descriptor(opened.value, target: target)) == true)
            #expect(error?.description.contains("  descriptor \(opened.value), \(target)") == true)
            #expect(error?.description.contains("  descriptor \(before), ") == false)
            // Only the kinds that are asked for are checked.
            try withLeakCheck(for: [.subscriptions, .loops], within: .zero) {
                close(opened.value)
                opened.value = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            }
            close(opened.value)
        }
    }
}
