// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import SchedulerConformance
import Testing
import TracePrograms

@Suite struct RandomPrograms {
    /// `TRACE_SEED` selects the programs. Without it every run uses other ones.
    private static let seed =
        ProcessInfo.processInfo.environment["TRACE_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64(UInt32.max))

    @Test("100 random programs have the same trace on every loop and on the reference")
    func sameTrace() async throws {
        print("random programs: seed \(Self.seed); again: make traces SEED=\(Self.seed) COUNT=100")
        let found = try await onThread { try Comparison().check(seed: Self.seed, count: Platform.rounds(100)) }
        if let found { Issue.record("seed \(found.seed): \(found.difference)") }
    }

    @Test("20 random programs of threads exit with success")
    func processes() async throws {
        let outcome = try await ChildProgram.run(
            "traces",
            arguments: ["--seed", "\(Self.seed)", "--count", "0", "--races", "0", "--processes", "20"]
        )
        #expect(outcome.code == 0, "\(outcome)")
    }

    @Test("The trace of a program is the same each time")
    func repeatable() async throws {
        let (first, second) = try await onThread {
            let comparison = Comparison()
            var traces: ([Trace], [Trace]) = ([], [])
            for seed in UInt64(1)...20 {
                var generator = ProgramGenerator(seed: seed)
                let program = generator.program()
                traces.0 += try TraceLoop.allCases.map { loop in try comparison.trace(of: program, on: loop) }
                traces.1 += try TraceLoop.allCases.map { loop in try comparison.trace(of: program, on: loop) }
            }
            return traces
        }
        #expect(first == second)
        #expect(first.contains { trace in trace.entries.count > 20 })
    }

    @Test("A failing program is minimized to the steps that make it fail")
    func shrinking() throws {
        // Fails for programs with a timer that stops the loop.
        func hasIt(_ steps: [Step]) -> Bool {
            steps.contains { step in
                if case .timer(_, _, let body) = step, body.contains(.stop) { return true }
                return hasIt(step.body ?? [])
            }
        }
        func isWanted(_ program: Program) -> Bool { program.phases.contains { phase in hasIt(phase.steps) } }
        var seed: UInt64 = 0
        var found: [Program] = []
        while found.count < 5 {
            var generator = ProgramGenerator(seed: seed)
            let program = generator.program()
            if isWanted(program), program.count > 20 { found.append(program) }
            seed += 1
        }
        for program in found {
            let smallest = program.smallest(where: isWanted)
            #expect(smallest.count <= 4 && smallest.arrivals.isEmpty, "\(smallest)")
        }
    }
}
