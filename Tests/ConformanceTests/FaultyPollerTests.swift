// SPDX-License-Identifier: MIT
import Glibc
import SchedulerConformance
import Testing

// Each poller has one fault, which the rule of the same line of Fixture.swift must find. Most checks wait most of the time, and
// measure processor time. So the checks of one suite follow each other, and the suites run in parallel.

/// Pollers that wake or spin while nothing happens, and that misuse closed numbers.
@Suite(.serialized) struct IdleFaultTests {
    @Test(
        "X10, S9 and N2 find pollers that wake or leave descriptors out, and X10 finds a thread that spins",
        arguments: ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"]
    )
    func waking(_ id: String) async { await expectFound(id) }

    @Test(
        "X10, N1, N2, G6 and R8 find pollers that mistreat closed numbers, threads, signals, deadlines, pipes and errors",
        arguments: ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "F1", "F2"]
    )
    func mistreating(_ id: String) async { await expectFound(id) }

    @Test(
        "N28 finds pollers that spin, end a wait late, forget an event or report too much",
        arguments: ["I2", "I3", "I4", "I5", "K2"]
    )
    func randomPrograms(_ id: String) async { await expectFound(id) }
}

/// Pollers that misuse masks, signals and time limits.
@Suite(.serialized) struct WaitFaultTests {
    @Test(
        "X10, G6, N1, T18 and Z4 find pollers that misuse masks, signals, time limits, hang-ups and threads",
        arguments: [
            "F3", "F4", "F5", "F6", "F7", "F8", "F9", "H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9",
        ]
    )
    func waits(_ id: String) async { await expectFound(id) }
}

/// Pollers that lose events, and that depend on numbers.
@Suite(.serialized) struct EventFaultTests {
    @Test(
        "X10, G6, N1, N2, N3, N21, S9, T18 and Z4 find pollers that misuse signals, deadlines, refusals and numbers",
        arguments: [
            "I1", "J1", "J2", "J3", "J4", "J5", "K1", "K3", "K4", "K5", "L2", "L3", "L4",
        ]
    )
    func events(_ id: String) async { await expectFound(id) }

    /// Whether a check can raise its limit of descriptors far enough.
    private static let canOpenHighNumbers: Bool = {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return limits.rlim_max >= 1200
    }()

    @Test(
        "S9 and N2 find pollers that report no number above 1023, or only a thousand descriptors, or wake with hundreds",
        .enabled(if: EventFaultTests.canOpenHighNumbers, "the limit of descriptors is below 1200"),
        arguments: ["D1", "D2", "D3", "D4", "L1"]
    )
    func highNumbers(_ id: String) async { await expectFound(id) }
}

private func expectFound(_ id: String) async {
    let result = await Rule(id, "") { _ in }.check(on: "dispatch", by: "ConformanceFixture")
    #expect(result.verdict == .passed, "\(result)")
}
