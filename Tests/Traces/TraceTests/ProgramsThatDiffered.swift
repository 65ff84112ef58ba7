// SPDX-License-Identifier: MIT
import ReactiveCore
import Testing
import TracePrograms

/// Minimized programs that random tests found to differ.
@Suite struct ProgramsThatDiffered {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let program: Program
        var testDescription: String { what }
    }

    static let cases = [
        Case(
            what: "D7: a number that another thread reuses during a turn; the loop took it for the old one",
            program: Program(
                channels: [.pipe, .pipe],
                phases: [
                    .init(
                        [
                            .write(end: 1, 1),
                            .watch(
                                0,
                                end: 0,
                                .read,
                                calls: 2,
                                reads: 0,
                                [.hop([.renew(channel: 1)]), .watch(1, end: 3, .write, calls: 1, reads: 0, [])]
                            ),
                        ],
                        .untilIdle
                    )
                ]
            )
        ),
        Case(
            what: "D7: another thread closes a descriptor whose interest has just changed; libuv aborted",
            program: Program(
                channels: [.sockets],
                phases: [
                    .init([.watch(0, end: 0, .read, calls: 1, reads: 0, [])], .polling),
                    .init([.task(1, [.interest(0, [.read, .write]), .hop([.close(end: 0)])])], .untilIdle),
                ]
            )
        ),
        Case(
            what: "A descriptor ready for reading and writing is one call; libevent reports two events",
            program: Program(
                channels: [.sockets],
                phases: [
                    .init(
                        [.write(end: 0, 1), .watch(0, end: 1, [.read, .write], calls: 2, reads: 0, [])],
                        .untilIdle
                    )
                ]
            )
        ),
        Case(
            what: "A hang-up with unread data is also ready for writing; libuv does not report it then",
            program: Program(
                channels: [.pipe],
                phases: [
                    .init([.write(end: 1, 1), .close(end: 1)], .polling),
                    .init([.watch(0, end: 0, [.read, .write], calls: 1, reads: 0, [])], .untilIdle),
                ]
            )
        ),
        Case(
            what: "A hang-up is reported to watches that existed before the wait; epoll reports more",
            program: Program(
                channels: [.sockets, .pipe],
                phases: [
                    .init(
                        [
                            .watch(0, end: 3, .write, calls: 1, reads: 0, []),
                            .watch(1, end: 0, .write, calls: 1, reads: 0, [.interest(0, [.read, .write])]),
                            .close(end: 2),
                        ],
                        .untilIdle
                    )
                ]
            )
        ),
        Case(
            what: "A stop that ends the wait precedes the descriptors that are ready by then",
            program: Program(
                channels: [.sockets],
                phases: [.init([.watch(0, end: 1, .read, calls: 1, reads: 0, [])], .untilIdle)],
                arrivals: [.init(at: SimulatedTime.origin + 44, [.stop, .write(end: 0, 1)])]
            )
        ),
        Case(
            what: "After a stop the second watch of the same descriptor is not called",
            program: Program(
                channels: [.sockets],
                phases: [
                    .init(
                        [
                            .watch(0, end: 1, .write, calls: 1, reads: 0, [.stop]),
                            .watch(1, end: 1, .write, calls: 1, reads: 0, []),
                        ],
                        .untilIdle
                    )
                ]
            )
        ),
        Case(
            what: "K1: a timer set to keep the loop alive and disposed before the loop took it",
            program: Program(
                phases: [.init([.timer(0, .init(after: 5), []), .keepsLoopAlive(0, true), .cancel(0)], .untilIdle)]
            )
        ),
        Case(
            what: "A repeating timer due after its disposal releases its closure with the loop",
            program: Program(
                phases: [
                    .init(
                        [
                            .repeating(0, .init(after: 0), every: 1, .rate, times: 1, []), .spend(5),
                            .task(1, []),
                        ],
                        .waiting
                    )
                ],
                arrivals: [.init(at: SimulatedTime.origin + 2, [.cancel(0)])]
            )
        ),
    ]

    @Test("Programs that once differed have the same trace on every loop", arguments: cases)
    func same(_ it: Case) throws {
        let comparison = Comparison()
        if let difference = try comparison.difference(of: it.program) { Issue.record("\(difference)") }
        // The traces are not equal merely because they are empty.
        #expect(try comparison.trace(of: it.program, on: .reference).entries.count > 1)
    }
}
