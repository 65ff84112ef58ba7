// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport
    import Synchronization

    /// The job that starts a look-up on the resolver's loop. If the loop is disposed before the job has run, it drops the
    /// job, and the look-up fails when this object is released.
    final class PendingStart: Sendable {
        private let loop: any LoopScheduler
        private let finish: @Sendable (Result<[SocketAddress], SocketError>) -> Void
        private let hasBegun = Atomic<Bool>(false)

        init(_ loop: any LoopScheduler, _ finish: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void) {
            self.loop = loop
            self.finish = finish
        }

        deinit {
            if hasBegun.load(ordering: .acquiring) { return }
            let dropped = SocketError(.loop, "the loop \(loop.name) has dropped a job")
            finish(.failure(loop.refusal(as: SocketError.self) ?? dropped))
        }

        /// Records that the job runs. Returns false if it has run before.
        func begin() -> Bool { !hasBegun.exchange(true, ordering: .acquiringAndReleasing) }
    }
#endif
