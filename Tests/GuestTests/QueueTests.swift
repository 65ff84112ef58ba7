// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

extension Guests {
    @Suite struct Queues {
        @Test(
            "A queue's guest closes its descriptor, wherever and however early it is disposed",
            arguments: [true, false]
        )
        func disposedAtOnce(_ isOnQueue: Bool) throws {
            for round in 0..<Platform.rounds(2000) {
                let queue = DispatchQueue(label: "queue")
                let host = DispatchHost(queue)
                let guest = try DispatchLoop(attachedTo: host, name: "guest")
                if isOnQueue { queue.sync { guest.dispose() } } else { guest.dispose() }
                #expect(host.released.wait(timeout: .now() + .seconds(Latch.limit)) == .success, "round \(round)")
            }
        }

        @Test("The call stack of a queue's guest does not grow from turn to turn")
        func depth() throws {
            let guest = try DispatchLoop(attachedTo: DispatchQueue(label: "queue"))
            defer { guest.dispose() }
            let (depths, over) = (Recorder<Int>(), Latch())
            @Sendable func next() {
                depths.append(Thread.callStackReturnAddresses.count)
                if depths.count < 1000 { guest.execute { next() } } else { over.arrive() }
            }
            guest.execute { next() }
            try over.wait("a thousand turns")
            // Each access to the turn's closure once added a wrapper around it.
            #expect(depths.values[999] <= depths.values[10] + 8)
        }
    }
}
