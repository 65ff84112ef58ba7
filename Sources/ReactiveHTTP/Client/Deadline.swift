// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSupport

    /// The one time limit of a connection. Setting it again costs no timer while a timer that fires earlier is armed.
    ///
    /// The limit is never reached early. Only the loop accesses it.
    final class Deadline {
        private let loop: any LoopScheduler
        /// Called on the loop when the limit is reached. It is `nil` after ``stop()``.
        private var reached: (@Sendable () -> Void)?
        private var instant: LoopInstant?
        private var armed: (instant: LoopInstant, timer: any Disposable)?

        init(_ loop: any LoopScheduler, _ reached: @escaping @Sendable () -> Void) {
            self.loop = loop
            self.reached = reached
        }

        /// Sets the limit, counted from now. `nil` removes it.
        func set(after delay: Duration?) {
            guard let delay, reached != nil else {
                instant = nil
                return
            }
            let new = loop.now + delay
            instant = new
            if let armed, armed.instant <= new { return }
            arm(new)
        }

        /// Removes the limit and the timer for good.
        func stop() {
            instant = nil
            reached = nil
            armed.take()?.timer.dispose()
        }

        private func arm(_ instant: LoopInstant) {
            armed?.timer.dispose()
            let own = UnsafeTransfer(Weak(self))
            let timer = loop.schedule(at: instant, options: TimerOptions(keepsLoopAlive: false)) {
                own.value.object?.fired()
            }
            armed = (instant, timer)
        }

        private func fired() {
            armed = nil
            guard let instant else { return }
            if loop.now < instant { return arm(instant) }
            self.instant = nil
            reached?()
        }
    }
#endif
