// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing

@testable import SchedulerEngine

@Suite struct HostingTests {
    @Test("A post calls the main queue's host only between runs, and only if the host does not watch the loop")
    func calls() {
        let hosting = Hosting()
        #expect(hosting.takesOverBetweenRuns == false)
        hosting.attach(Host(), calls: .needed)
        #expect(hosting.takesOverBetweenRuns == true)
        #expect(hosting.calls == .needed)
        hosting.suspend()
        #expect(hosting.calls == .suspended)
        hosting.resume()
        #expect(hosting.calls == .needed)
    }

    @Test("M9: an outdated answer cannot change what a later run has decided")
    func lateAnswer() {
        let hosting = Hosting()
        hosting.attach(Host(), calls: .needed)
        hosting.hostWatches()
        for _ in 0..<2 {
            hosting.suspend()
            #expect(hosting.calls == .watched)
            hosting.resume()
            #expect(hosting.calls == .watched)
        }
    }

    @Test("A run changes nothing if no host takes over")
    func guest() {
        let hosting = Hosting()
        hosting.attach(Host(), calls: .none)
        hosting.suspend()
        hosting.resume()
        #expect(hosting.takesOverBetweenRuns == false)
        #expect(hosting.host != nil)
        #expect(hosting.takeHost() != nil)
        #expect(hosting.host == nil)
    }

    @Test("Before the first turn, a guest belongs to the thread that created it and cannot be disposed in place")
    func home() throws {
        let shared = Shared(Hosting())
        shared.value.attach(Host(), calls: .none)
        #expect(isHere(shared.value) == [true, false])
        try TestThread { shared.value.beginTurn() }.join()
        #expect(isHere(shared.value) == [false, false])
        shared.value.beginTurn()
        #expect(isHere(shared.value) == [true, true])
    }
}

/// Whether the guest belongs to this thread, and whether it can be disposed in place.
private func isHere(_ hosting: borrowing Hosting) -> [Bool] {
    [hosting.isHere ?? hosting.isMakerHere, hosting.isHere == true]
}

private final class Host: LoopHost {
    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) {}
    func detach() {}
}
