// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

/// An actor whose executor is a loop. The creator of the loop keeps the loop alive.
private actor Resident {
    nonisolated let loop: any LoopScheduler
    private(set) var calls = 0

    init(_ loop: any LoopScheduler) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Whether the actor runs on its loop, also after a suspension.
    func call() async -> Bool {
        calls += 1
        let before = loop.isCurrent
        await Task.yield()
        return before && loop.isCurrent
    }

    func add() { calls += 1 }

    nonisolated func addFromLoop() { assumeIsolated { resident in resident.calls += 1 } }
}

extension Loops {
    @Suite struct Executors {
        @Test("An actor whose executor is a loop runs on that loop", arguments: LoopKind.all)
        func actors(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            let resident = Resident(loop)
            for _ in 0..<100 { #expect(await resident.call()) }
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { await resident.add() } }
            }
            #expect(await resident.calls == 200)
            loop.dispose()
        }

        @Test("assumeIsolated succeeds on the actor's loop", arguments: LoopKind.all)
        func assumed(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            let resident = Resident(loop)
            await withCheckedContinuation { continuation in
                loop.execute {
                    resident.addFromLoop()
                    continuation.resume()
                }
            }
            #expect(await resident.calls == 1)
            #expect(loop.isIsolatingCurrentContext() == false)
            loop.dispose()
        }

        @Test("A task that prefers a loop runs on it, and so do its child tasks", arguments: LoopKind.all)
        func tasks(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            let places = await Task.detached(executorPreference: loop) {
                var places = [loop.isCurrent]
                await Task.yield()
                places.append(loop.isCurrent)
                async let child = loop.isCurrent
                places.append(await child)
                try? await Task.sleep(for: .milliseconds(1))  // allowed: it is what is tested
                places.append(loop.isCurrent)
                return places
            }.value
            #expect(places == [true, true, true, true])
            loop.dispose()
        }

        @Test("X7: jobs run after disposal too, one at a time", arguments: LoopKind.all)
        func afterDisposal(_ kind: LoopKind) async throws {
            for round in 0..<20 {
                let loop = try kind.make(thread: .owned)
                let resident = Resident(loop)
                async let calls: Void = withTaskGroup { group in
                    for _ in 0..<50 { group.addTask { #expect(await resident.call()) } }
                }
                if round.isMultiple(of: 2) { await Task.yield() }
                loop.dispose()
                await calls
                #expect(await resident.call())
                #expect(await resident.calls == 51)
            }
        }

        @Test("X7: disposing a loop runs the jobs left on it", arguments: LoopKind.all)
        func leftOver(_ kind: LoopKind) async throws {
            let loop = try kind.make()
            let task = Task.detached(executorPreference: loop) { loop.isCurrent }
            loop.dispose()
            #expect(await task.value)
        }

        @Test("A loop that the caller runs executes the jobs of its actors", arguments: LoopKind.all)
        func callerRun(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let resident = Resident(loop)
            let place = Box<Bool?>(nil)
            Task.detached(executorPreference: loop) {
                place.value = await resident.call()
                loop.stop()
            }
            try TestThread { try loop.run() }.join("the actor's job")
            #expect(place.value == true)
        }
    }
}
