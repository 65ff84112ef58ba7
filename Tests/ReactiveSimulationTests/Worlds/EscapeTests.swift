// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// Tasks inside and outside of a world.
@Suite struct EscapeTests {
    private func failure(_ body: @escaping @Sendable (SimulatedLoop) async throws -> Void) -> SimulationFailure? {
        do {
            try Simulation.run(seed: 1) { world in
                world.host("host").startTask(body)
                try world.run(for: .seconds(5))
            }
            return nil
        } catch {
            return error as? SimulationFailure
        }
    }

    @Test("A task on the global executor is reported with its host")
    func global() throws {
        let failure = try #require(failure { _ in Task.detached {} })
        #expect((failure.error as? SimulationError)?.code == .escapedTask && failure.host == "host")
        #expect("\(failure.error)".contains("Task(executorPreference: loop)"))
    }

    @Test("A world that is run by its own code fails")
    func reentrant() throws {
        try Simulation.run(seed: 1) { world in
            let code = SharedValue<SimulationError.Code?>(nil)
            let host = world.host("host")
            host.start { _ in
                do { try world.run(for: .seconds(1)) } catch { code.update { $0 = (error as? SimulationError)?.code } }
            }
            try world.run(for: .seconds(1))
            #expect(code.value == .reentrant)
            #expect(throws: SimulationError.self) { try host.perform { try world.runUntilIdle() } }
            try world.run(for: .seconds(-1))
        }
    }

    @Test("A task continues on a thread of its host after its loop has been disposed")
    func afterDisposal() throws {
        try Simulation.run(seed: 1) { world in
            let steps = SharedValue<[Duration]>([])
            let host = world.host("host")
            host.startTask { loop in
                loop.dispose()
                for _ in 0..<3 {
                    await Task.yield()
                    steps.update { $0.append(world.now) }
                }
            }
            try world.run(for: .seconds(1))
            #expect(steps.value.count == 3)
            let isIdle = try world.runUntilIdle()
            #expect(isIdle)
        }
    }

    @Test("A task does not continue after its process has ended", arguments: ["exit", "crash", "end"])
    func afterProcess(way: String) throws {
        let steps = SharedValue(0)
        let continuation = SharedValue<CheckedContinuation<Void, Never>?>(nil)
        let isEnded = SharedValue(false)
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            host.startTask { _ in
                while true {
                    await Task.yield()
                    steps.update { $0 += 1 }
                    if steps.value == 10 { await withCheckedContinuation { made in continuation.update { $0 = made } } }
                    if isEnded.value { Issue.record("the task continued") }
                }
            }
            try world.run(for: .seconds(1))
            #expect(steps.value == 10)
            switch way {
            case "exit": host.exit()
            case "crash": host.crash()
            default: return
            }
            isEnded.update { $0 = true }
            continuation.value?.resume()
            host.start { _ in }
            try world.run(for: .seconds(1))
        }
        if way == "end" {
            isEnded.update { $0 = true }
            continuation.value?.resume()
        }
        #expect(steps.value == 10)
    }

    @Test("Child tasks and tasks with a preference stay on the loop, and wait in simulated time")
    func inside() {
        let failure = failure { loop in
            async let first = Signal<Void, Never>.timer(after: .seconds(1), on: loop).first()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { await Task.yield() } }
            }
            let task = Task(executorPreference: loop) { await Task.yield() }
            await task.value
            _ = await first
        }
        #expect(failure == nil, "\(String(describing: failure))")
    }
}
