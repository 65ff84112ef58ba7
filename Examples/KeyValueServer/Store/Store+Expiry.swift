import ReactiveCore
import ReactiveSockets
import Synchronization

/// Keys that go by themselves: each has a timer of the loop.
///
/// A timer is never early, and may be late where the loop is busy; so who looks at a key looks at its deadline too.
extension Store {
    /// How long a key has left; nil where it does not expire, or there is none.
    func timeLeft(of key: Bytes) -> Duration? {
        entries.withLock { $0[key]?.expiry?.left(at: loop.now) }
    }

    /// Lets a key expire `delay` from now; one that is not above zero takes it out at once. False where there is none.
    func expire(_ key: Bytes, after delay: Duration) -> Bool {
        guard contains(key) else { return false }
        if delay <= .zero { return remove(key) }
        let key = key.compacted()
        let begin = loop.now
        let expiry = Expiry(delay: delay, begin: begin, timer: timer(for: key, begin, delay))
        let old = entries.withLock { entries -> Expiry? in
            let old = entries[key]?.expiry
            entries[key]?.expiry = expiry
            return old
        }
        old?.timer?.dispose()
        return true
    }

    /// Lets a key stay; false where it would have anyway, or there is none.
    func persist(_ key: Bytes) -> Bool {
        guard contains(key) else { return false }
        let old = entries.withLock { $0[key]?.expiry.take() }
        old?.timer?.dispose()
        return old != nil
    }

    private static let longestTimer = Duration.seconds(100 * 365 * 86_400)

    private func timer(for key: Bytes, _ begin: LoopInstant, _ delay: Duration) -> (any Disposable)? {
        if delay > Self.longestTimer { return nil }
        return loop.schedule(at: begin + delay, options: TimerOptions(keepsLoopAlive: false)) { [weak self] in
            self?.removeExpired(key)
        }
    }

    private func removeExpired(_ key: Bytes) {
        // If the key has been set again, it has another deadline and another timer.
        entries.withLock { entries in
            if let entry = entries[key], !entry.isAlive(loop) { entries[key] = nil }
        }
    }
}
