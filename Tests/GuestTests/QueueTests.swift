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
            "A queue's guest lets go of its descriptor, wherever and however soon it is disposed",
            arguments: [true, false]
        )
        func disposedAtOnce(_ isOnQueue: Bool) throws {
            for round in 0..<Machine.rounds(2000) {
                let queue = DispatchQueue(label: "queue")
                let host = DispatchHost(queue)
                let guest = try DispatchLoop(attachedTo: host, name: "guest")
                if isOnQueue { queue.sync { guest.dispose() } } else { guest.dispose() }
                #expect(host.released.wait(timeout: .now() + .seconds(Latch.limit)) == .success, "round \(round)")
            }
        }

        @Test("A queue's guest is called as directly after a thousand turns as after ten")
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
            // The turn's closure was once wrapped at each access to it, and then called through all the wrappings.
            #expect(depths.values[999] <= depths.values[10] + 8)
        }
    }
}
