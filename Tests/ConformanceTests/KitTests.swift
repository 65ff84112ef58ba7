// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import LoopTestSupport
import SchedulerConformance
import Testing

/// The results that the kit reports for rules with known outcomes.
@Suite(.serialized) struct KitTests {
    private static let program = "ConformanceFixture"

    private func check(_ id: String, on loop: String = "dispatch") async -> RuleResult {
        await Rule(id, "") { _ in }.check(on: loop, by: Self.program)
    }

    private func failure(_ id: String, on loop: String = "dispatch") async throws -> RuleResult.Failure {
        let result = await check(id, on: loop)
        guard case .failed(let failure) = result.verdict else {
            throw Unexpected(result: result)
        }
        return failure
    }

    @Test("A rule that holds is reported as passed")
    func passes() async {
        let result = await check("A1")
        #expect(result.verdict == .passed && result.isInOrder && result.rule == "A1" && result.loop == "dispatch")
        #expect(await check("A8").verdict == .passed)
    }

    @Test("A failure reports the expectation, the observation and the trace")
    func fails() async throws {
        let failure = try await failure("A2")
        #expect(failure.expected == "something")
        #expect(failure.seen.hasPrefix("something else (") && failure.seen.hasSuffix("), and 1 more"))
        #expect(failure.trace.count == 2 && failure.trace[1].hasSuffix("second"))
    }

    @Test("A check that hangs is reported as a failure with its last note")
    func hangs() async throws {
        let failure = try await failure("A3")
        #expect(failure.seen.contains("hangs") && failure.seen.contains("without a stop"))
    }

    @Test("A check that cannot report anything is killed and reported as a failure")
    func stops() async throws {
        #expect(try await failure("A9").seen.contains("killed"))
    }

    @Test("A crash is reported as a failure of its rule, with the last output of the process")
    func crashes() async throws {
        let failure = try await failure("A4")
        #expect(failure.seen.contains("crashed"))
        #expect(failure.trace.contains { $0.contains("on purpose") })
    }

    @Test("An error that a check throws is reported as a failure")
    func throwing() async throws {
        #expect(try await failure("A5").seen.contains("on purpose"))
    }

    @Test(
        "A declared deviation is accepted if the rule fails, and reported if the rule holds",
        arguments: ["A2", "A3", "A4"]
    )
    func deviations(_ id: String) async throws {
        let result = await check(id, on: "deviating")
        guard case .deviates(let reason) = result.verdict else {
            Issue.record("\(result)")
            return
        }
        #expect(result.isInOrder && reason.hasPrefix("it is"))
        #expect(try await failure("A1", on: "deviating").seen.contains("the rule holds"))
    }

    @Test("A declared lack is a skip with its reason, and an undeclared one is a failure")
    func skips() async throws {
        let result = await check("A6", on: "lacking")
        #expect(result.verdict == .skipped("needs descriptors: it has none") && result.isInOrder)
        #expect(await check("A6").verdict == .passed)
        #expect(try await failure("A7").expected.contains("description"))
    }

    @Test(
        "A leak is reported with the name of what leaked",
        arguments: [
            ("B1", "/dev/null"), ("B2", "a variable of ConformanceFixture/Fixture.swift:"), ("B3", "loop kit-loop-"),
            ("B4", "thread kit-loop-lost"),
        ]
    )
    func leaks(_ id: String, _ name: String) async throws {
        let failure = try await failure(id)
        #expect(failure.expected.contains("nothing is left") && failure.seen.contains(name), "\(failure)")
    }

    @Test("A descriptor that a process opens once is not a leak")
    func once() async {
        #expect(await check("B5").verdict == .passed)
    }

    @Test("A missing program and an unknown loop are failures")
    func misuse() async throws {
        let missing = await Rule.all[0].check(on: "dispatch", by: "no-such-program")
        #expect(!missing.isInOrder)
        let failure = try await failure("A1", on: "nobody")
        #expect(failure.seen.contains("there is no loop nobody"))
    }

    @Test("The command prints a table, writes files and returns an exit code")
    func command() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let failing = try await ChildProgram.run(
            Self.program,
            "--rule",
            "A1,A2,A6",
            "--seed",
            "7",
            "--json",
            folder.path("all.json"),
            "--junit",
            folder.path("all.xml"),
            "--markdown",
            folder.path("all.md")
        )
        #expect(failing.code == 1)
        #expect(failing.output.contains("A2    FAILS      FAILS      FAILS") == false)
        #expect(failing.output.contains("A2    FAILS      deviates   FAILS"))
        let lastRow = try #require(failing.output.range(of: "\nA6    holds", options: .backwards))
        let afterTheTable = failing.output[lastRow.upperBound...]
        #expect(afterTheTable.contains("A2 on ") && afterTheTable.contains("  expected: "))
        #expect(failing.output.contains("9 checks in ") && failing.output.contains("with seed 7"))
        #expect(!failing.output.contains("\u{1b}"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: folder.path("all.json"))))
                as? [String: Any]
        )
        #expect((json["results"] as? [[String: Any]])?.count == 9 && json["seed"] as? Int == 7)
        #expect(XMLParser(data: try Data(contentsOf: URL(fileURLWithPath: folder.path("all.xml")))).parse())
        let page = try String(contentsOfFile: folder.path("all.md"), encoding: .utf8)
        #expect(page.contains("| A6 | holds | holds | skipped [") && page.contains("needs descriptors: it has none"))
        let passing = try await ChildProgram.run(Self.program, "--rule", "A8", "--loop", "dispatch")
        #expect(passing.code == 0)
    }

    @Test(
        "A wrong command line prints the usage",
        arguments: [["--rule"], ["--rule", "Q"], ["--loop", "x"], ["y"]]
    )
    func commandLine(_ arguments: [String]) async throws {
        let outcome = try await ChildProgram.run(Self.program, arguments: arguments)
        #expect(outcome.code == 64 && outcome.output.contains("usage:"))
    }
}

/// A check that should have failed and did not.
private struct Unexpected: Error {
    let result: RuleResult
}
