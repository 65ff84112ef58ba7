// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import SchedulerConformance
import Testing

/// Eight threads execute one command in a separate process, and the callers and the work both count.
///
/// The count is a hundredth of `make load-commands`, which executes a million for each line.
@Suite(.serialized) struct LoadTests {
    @Test(
        arguments: ["serial", "concurrent", "unlimited", "queue", "dropping", "wide", "latest"],
        ["function", "signal", "pool"]
    )
    func admissionIsExact(_ strategy: String, _ work: String) async throws {
        let count = ProcessInfo.processInfo.environment["REACTIVE_EXECUTIONS"] ?? "\(Platform.rounds(10_000))"
        let outcome = try await ChildProgram.run("CommandLoad", "load", strategy, work, count)
        #expect(outcome.code == 0, "\(outcome.output)")
    }
}
