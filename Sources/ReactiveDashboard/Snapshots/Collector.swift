// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Makes snapshots: asks each loop in a job, and waits for the answers for a limited time.
    ///
    /// A loop that has not answered is not asked again. So a blocked loop has at most one job of the collector.
    final class Collector: Sendable {
        /// A snapshot in the making. The disposal of the home loop forgets it. Otherwise a waiting request would retain its
        /// connection, and with it the collector, forever.
        private struct Collection: Sendable {
            let id: Int
            let done: @Sendable (DashboardSnapshot) -> Void
            /// The loops that have not answered.
            var missing: Set<Int>
            var answers: [Int: LoopAnswer] = [:]
            /// The time limit, and what forgets the collection when the home loop is disposed.
            var ends: [any Disposable] = []
        }

        private struct State {
            /// When each loop was asked. A loop without an entry owes no answer.
            var asked: [Int: ContinuousClock.Instant] = [:]
            var collections: [Collection] = []
            var last = 0
        }

        let loops: [any LoopScheduler]
        private let servers: [ObservedServer]
        private let home: any LoopScheduler
        private let state = Lock(State())

        init(_ loops: [any LoopScheduler], _ servers: [ObservedServer], on home: any LoopScheduler) {
            // A loop that was added twice is one loop.
            var known = Set<ObjectIdentifier>()
            self.loops = loops.filter { known.insert(ObjectIdentifier($0)).inserted }
            self.servers = servers
            self.home = home
        }

        /// Makes a snapshot, and calls `done` with it. Call it on the home loop. Returns a number for ``cancel(_:)``.
        ///
        /// If the home loop is disposed first, `done` is released without a call.
        @discardableResult
        func collect(_ done: @escaping @Sendable (DashboardSnapshot) -> Void) -> Int {
            let alive = Set(loops.indices.filter { !loops[$0].isDisposed })
            let now = ContinuousClock.now
            let (id, toAsk) = state.withLock { state -> (Int, [Int]) in
                state.last += 1
                let toAsk = alive.filter { state.asked[$0] == nil }
                for index in toAsk { state.asked[index] = now }
                state.collections.append(Collection(id: state.last, done: done, missing: alive))
                return (state.last, Array(toAsk))
            }
            let options = TimerOptions(keepsLoopAlive: false)
            let timer = home.schedule(at: home.now + DashboardBounds.patience, options: options) { [self] in
                finish { $0.id == id }
            }
            let end = home.onDispose { [self] in cancel(id) }
            state.withLock { state in
                guard let position = state.collections.firstIndex(where: { $0.id == id }) else { return }
                state.collections[position].ends = [timer, end]
            }
            for index in toAsk { ask(index, now) }
            if alive.isEmpty { home.execute { [self] in finish { $0.missing.isEmpty } } }
            return id
        }

        /// Forgets a snapshot that has not been made. Any thread may call it.
        func cancel(_ number: Int) {
            for collection in take({ $0.id == number }) { for end in collection.ends { end.dispose() } }
        }

        private func ask(_ index: Int, _ now: ContinuousClock.Instant) {
            let (loop, servers) = (loops[index], servers)
            loop.execute { [self] in
                let answer = LoopAnswer(loop, servers, since: now)
                home.execute { [self] in arrived(index, answer) }
            }
        }

        private func arrived(_ index: Int, _ answer: LoopAnswer) {
            state.withLock { state in
                state.asked[index] = nil
                for position in state.collections.indices {
                    state.collections[position].missing.remove(index)
                    state.collections[position].answers[index] = answer
                }
            }
            finish { $0.missing.isEmpty }
        }

        /// Ends the collections that fulfil a condition.
        private func finish(_ isDone: @Sendable (Collection) -> Bool) {
            for collection in take(isDone) {
                for end in collection.ends { end.dispose() }
                collection.done(snapshot(collection.answers))
            }
        }

        /// Removes the collections that fulfil a condition. The caller releases them, outside the lock.
        private func take(_ isTaken: @Sendable (Collection) -> Bool) -> [Collection] {
            state.withLock { state in
                let taken = state.collections.filter(isTaken)
                state.collections.removeAll(where: isTaken)
                return taken
            }
        }

        private func snapshot(_ answers: [Int: LoopAnswer]) -> DashboardSnapshot {
            let (asked, now) = (state.withLock { $0.asked }, ContinuousClock.now)
            var snapshot = DashboardSnapshot()
            snapshot.loops = loops.enumerated().map { index, loop in
                DashboardSnapshot.LoopView(loop, answers[index], waitingFor: asked[index].map { now - $0 } ?? .zero)
            }
            snapshot.servers = servers.enumerated().map { position, server in
                var view = server.view
                for (index, answer) in answers.sorted(by: { $0.key < $1.key }) {
                    let name = snapshot.loops[index].name
                    let room = DashboardBounds.connections - view.connections.count
                    view.connections += answer.connections[position].prefix(room).map { .init(facts: $0, loop: name) }
                }
                return view
            }
            snapshot.graph = DashboardSnapshot.GraphView(LiveGraph.snapshot())
            return snapshot
        }

        // MARK: Measuring

        /// Starts to measure turns, and to record subscriptions.
        func beginMeasuring() {
            LiveGraph.beginObserving()
            for loop in loops { loop.execute { try? (loop as? any MeasuredLoop)?.beginMeasuring() } }
        }

        /// Stops what ``beginMeasuring()`` has started.
        func endMeasuring() {
            for loop in loops { loop.execute { try? (loop as? any MeasuredLoop)?.endMeasuring() } }
            LiveGraph.endObserving()
        }
    }
#endif
