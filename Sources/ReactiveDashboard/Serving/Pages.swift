// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSupport

    /// The open pages. Measurements are on while there is one. Pages are opened on the home loop, and closed on any thread.
    ///
    /// Once a second, each page that can receive gets the newest snapshot. If all pages are paused, none is made.
    final class Pages: Sendable {
        private struct Page: Sendable {
            let emitter: Emitter<WebSocketMessage, Never>
            let subscription: SignalSubscription
        }

        private enum Measuring {
            case off, on
            /// A thread begins or ends the measurements.
            case changing
        }

        private struct State {
            var measuring = Measuring.off
            var pages: [Int: Page] = [:]
            var last = 0
            var timer: (any Disposable)?
            var rates = Rates()
            var problems = ProblemFinder()
        }

        private let collector: Collector
        private let home: any LoopScheduler
        private let state = Lock(State())

        init(_ collector: Collector, on home: any LoopScheduler) {
            self.collector = collector
            self.home = home
        }

        /// The number of open pages.
        var count: Int { state.withLock { $0.pages.count } }

        var isFull: Bool { count >= DashboardBounds.pages }

        /// Opens a page with each subscription, and sends it snapshots as JSON. Completes at once if too many pages are
        /// open.
        var messages: Signal<WebSocketMessage, Never> {
            Signal(whilePaused: .dropOldest(1)) { [self] emitter, subscription in
                guard let number = open(Page(emitter: emitter, subscription: subscription)) else {
                    return emitter.complete()
                }
                subscription.onDispose { [self] in close(number) }
            }
        }

        private func open(_ page: Page) -> Int? {
            let number = state.withLock { state -> Int? in
                if state.pages.count >= DashboardBounds.pages { return nil }
                state.last += 1
                state.pages[state.last] = page
                return state.last
            }
            measureIfNeeded()
            if number != nil { home.execute { [self] in tick() } }
            return number
        }

        private func close(_ number: Int) {
            let page = state.withLock { state in state.pages.removeValue(forKey: number) }
            withExtendedLifetime(page) {}
            measureIfNeeded()
        }

        /// Begins or ends the measurements, so that they are on while there is a page.
        ///
        /// One thread does it at a time, and repeats it if the pages have changed in between. So an end never precedes its
        /// beginning.
        private func measureIfNeeded() {
            while let begins = nextChange() {
                if begins { begin() } else { end() }
                state.withLock { $0.measuring = begins ? .on : .off }
            }
        }

        /// Whether this thread must begin the measurements, or end them. `nil` means neither.
        private func nextChange() -> Bool? {
            state.withLock { state in
                switch (state.measuring, state.pages.isEmpty) {
                case (.off, false), (.on, true):
                    defer { state.measuring = .changing }
                    return !state.pages.isEmpty
                case (.off, true), (.on, false), (.changing, _): return nil
                }
            }
        }

        private func begin() {
            collector.beginMeasuring()
            let timer = home.schedule(
                at: home.now + DashboardBounds.interval,
                repeating: .fixedRate(DashboardBounds.interval),
                options: TimerOptions(keepsLoopAlive: false)
            ) { [self] in tick() }
            state.withLock { $0.timer = timer }
        }

        private func end() {
            let timer = state.withLock { state in
                state.rates = Rates()
                state.problems = ProblemFinder()
                return state.timer.take()
            }
            timer?.dispose()
            collector.endMeasuring()
        }

        /// Ends all pages, and the measurements at once: a page that does not read ends later.
        func closeAll() {
            let pages = state.withLock { $0.pages }
            for (number, page) in pages {
                page.emitter.complete()
                close(number)
            }
        }

        private func tick() {
            if receivers.isEmpty { return }
            collector.collect { [self] snapshot in send(snapshot) }
        }

        private var receivers: [Page] {
            state.withLock { $0.pages.sorted { $0.key < $1.key }.map(\.value) }.filter { !$0.subscription.isPaused }
        }

        private func send(_ snapshot: DashboardSnapshot) {
            let now = ContinuousClock.now
            let text = state.withLock { state in
                var snapshot = snapshot
                snapshot.pages = state.pages.count
                state.rates.apply(to: &snapshot.graph, at: now)
                state.problems.apply(to: &snapshot, at: now)
                return snapshot
            }.json
            for page in receivers { page.emitter.send(.text(text)) }
        }
    }
#endif
