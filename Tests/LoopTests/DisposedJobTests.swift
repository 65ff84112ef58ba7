// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import Testing

extension Loops {
    @Suite struct DisposedJobs {
        @Test("X7: jobs run after a disposed loop has released the owners of all descriptors", arguments: LoopKind.all)
        func afterTheOwners(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let count = 20
            let (released, seen) = (Box(0), Recorder<Int>())
            let done = Latch(2)
            let job: @Sendable () -> Void = {
                seen.append(released.value)
                done.arrive()
            }
            for _ in 0..<count {
                let pair = SocketPair()
                defer { pair.close() }
                let connection = try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop)
                // Closed last, so that the connection does not end before the loop's disposal.
                let peer = fcntl(pair.far, F_DUPFD_CLOEXEC, 0)
                let subscription = SignalSubscription()
                subscription.onDispose {
                    // The first connection submits a job while the others are still open.
                    if released.value == 0 { Task.detached(executorPreference: loop) { job() } }
                    // Time for a job that runs too early on another thread. Jobs that run later need none.
                    loop.spin(.milliseconds(2))
                    released.increment()
                    close(peer)
                }
                connection.received.subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
            }
            try loop.turns(2)
            #expect(released.value == 0)
            // This job is in the loop's queue when the loop is disposed.
            Task.detached(executorPreference: loop) { job() }
            loop.dispose()
            try done.wait("the jobs of a disposed loop")
            #expect(seen.values == [count, count])
        }

        @Test(
            "X7: jobs that wait when a loop is disposed precede those that its disposal submits",
            arguments: LoopKind.all
        )
        func order(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (order, done) = (Recorder<Int>(), Latch(2))
            let job: @Sendable (Int) -> Void = { number in
                order.append(number)
                done.arrive()
            }
            let pair = SocketPair()
            defer { pair.close() }
            let connection = try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop)
            let subscription = SignalSubscription()
            subscription.onDispose { Task.detached(executorPreference: loop) { job(2) } }
            connection.received.subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
            try loop.turns(2)
            Task.detached(executorPreference: loop) { job(1) }
            loop.dispose()
            try done.wait("the jobs of a disposed loop")
            #expect(order.values == [1, 2])
        }

        @Test(
            "X7: jobs that wait when a loop is disposed precede those of the work that it releases",
            arguments: LoopKind.all
        )
        func releasedWork(_ kind: LoopKind) throws {
            final class Submitting: Sendable {
                let submit: @Sendable () -> Void
                init(_ submit: @escaping @Sendable () -> Void) { self.submit = submit }
                deinit { submit() }
            }
            let loop = try kind.make()
            let (order, done) = (Recorder<Int>(), Latch(2))
            let job: @Sendable (Int) -> Void = { number in
                order.append(number)
                done.arrive()
            }
            do {
                let submitting = Submitting { Task.detached(executorPreference: loop) { job(2) } }
                _ = loop.schedule { withExtendedLifetime(submitting) {} }
            }
            Task.detached(executorPreference: loop) { job(1) }
            loop.dispose()
            try done.wait("the jobs of a disposed loop")
            #expect(order.values == [1, 2])
        }
    }
}
