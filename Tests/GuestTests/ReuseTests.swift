// SPDX-License-Identifier: MIT
import GuestHosts
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing

extension Guests {
    @Suite struct Reuses {
        @Test(
            "D7: on a guest, each watch of a reused number is called while another thread disposes and closes",
            arguments: GuestKind.all
        )
        func stress(_ kind: GuestKind) throws {
            let loop = try kind.make(isOwned: true)
            let outcome = try ReuseStress.run(on: loop, count: Platform.rounds(10_000))
            #expect(outcome.silent == 0 && outcome.called >= Platform.rounds(9_900))
            try Guests.waitForEnd { loop.dispose() }
        }
    }
}
