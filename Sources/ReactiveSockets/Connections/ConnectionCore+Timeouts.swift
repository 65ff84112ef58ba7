// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension ConnectionCore {
    /// The number of checks within the idle limit. A timer compares counters, so a message costs nothing extra, but the
    /// connection fails up to a quarter of the limit late.
    private static let checksPerTimeout = 4

    func set(_ timeouts: ConnectionTimeouts) {
        guard isOpen else { return }
        if let earlier = extras?.timing {
            earlier.stop()
            extras?.timing = nil
        }
        if timeouts.idle == nil, timeouts.maxLifetime == nil { return }
        let timing = ConnectionTiming(timeouts, traffic)
        neededExtras.timing = timing
        // Weak, because a timer must not keep the connection open.
        let core = UnsafeTransfer(Weak(self))
        if let idle = timeouts.idle {
            let period = idle / Self.checksPerTimeout
            timing.idleTimer = loop.schedule(
                at: loop.now + period,
                repeating: .fixedDelay(period),
                options: TimerOptions(keepsLoopAlive: false)
            ) { core.value.object?.lookForTraffic() }
        }
        if let whole = timeouts.maxLifetime {
            timing.maxLifetimeTimer = loop.schedule(at: loop.now + whole, options: TimerOptions(keepsLoopAlive: false))
            {
                guard let core = core.value.object else { return }
                let text = "the connection with \(core.peer) was closed: it reached its maximum lifetime of \(whole)"
                core.fail(SocketError(.timedOut, text))
            }
        }
    }

    private var traffic: Int { receivedTotal + sending.sent }

    private func lookForTraffic() {
        guard let timing = extras?.timing, let idle = timing.timeouts.idle else { return }
        if traffic != timing.lastSeenTraffic {
            timing.lastSeenTraffic = traffic
            timing.unchangedChecks = 0
            return
        }
        timing.unchangedChecks += 1
        guard timing.unchangedChecks >= Self.checksPerTimeout else { return }
        fail(SocketError(.timedOut, "the connection with \(peer) was closed: it was idle for \(idle)"))
    }
}
