// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSupport

    /// The open pages. Measurements are on while there is one.
    ///
    /// Once a second, each page that can receive gets the newest snapshot. If all pages are paused, none is made.
    final class Pages: Sendable {
        private struct Page: Sendable {
            let emitter: Emitter<WebSocketMessage, Never>
            let subscription: SignalSubscription
        }

        private struct State {
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
            let (number, isFirst) = state.withLock { state -> (Int?, Bool) in
                if state.pages.count >= DashboardBounds.pages { return (nil, false) }
                state.last += 1
                state.pages[state.last] = page
                return (state.last, state.pages.count == 1)
            }
            if isFirst { begin() }
            if number != nil { home.execute { [self] in tick() } }
            return number
        }

        private func begin() {
            collector.beginMeasuring()
            let timer = home.schedule(
                at: home.now + DashboardBounds.interval,
                repeating: .fixedRate(DashboardBounds.interval),
                options: TimerOptions(keepsLoopAlive: false)
            ) { [self] in tick() }
            let isObsolete = state.withLock { state in
                if state.pages.isEmpty { return true }
                state.timer = timer
                return false
            }
            if isObsolete { timer.dispose() }
        }

        private func close(_ number: Int) {
            let (page, timer, isLast) = state.withLock { state -> (Page?, (any Disposable)?, Bool) in
                let page = state.pages.removeValue(forKey: number)
                guard page != nil, state.pages.isEmpty else { return (page, nil, false) }
                state.rates = Rates()
                state.problems = ProblemFinder()
                return (page, state.timer.take(), true)
            }
            withExtendedLifetime(page) {}
            timer?.dispose()
            if isLast { collector.endMeasuring() }
        }

        /// Ends all pages.
        func closeAll() {
            let pages = state.withLock { Array($0.pages.values) }
            for page in pages { page.emitter.complete() }
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
