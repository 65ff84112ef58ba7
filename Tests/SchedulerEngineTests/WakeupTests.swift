// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Synchronization
import Testing

@testable import SchedulerEngine

@Suite struct WakeupTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    @Test("X4: if many threads end an announced wait, one of them wakes the loop")
    func oneWakeUp() throws {
        let wakeup = Shared(try Wakeup())
        for round in 0..<200 {
            wakeup.value.isAwaited = true
            let count = Shared(Atomic<Int>(0))
            let threads = (0..<2).map { _ in
                TestThread { wakeup.value.end { count.value.add(1, ordering: .relaxed) } }
            }
            for thread in threads { try thread.join() }
            #expect(count.value.load(ordering: .relaxed) == 1, "round \(round)")
            #expect(wakeup.value.isAwaited == false)
            #expect(isReadable(wakeup.value.descriptor.descriptor))
            wakeup.value.descriptor.clear()
        }
        wakeup.value.close()
    }

    @Test("Ending a wait that was not announced does nothing")
    func notAwaited() throws {
        let wakeup = try Wakeup()
        wakeup.end { Issue.record("no wait was announced") }
        #expect(!isReadable(wakeup.descriptor.descriptor))
        wakeup.close()
    }
}
