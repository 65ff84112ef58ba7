// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import Synchronization

/// Keys that expire. Each has a timer of the loop that removes it.
///
/// A timer is never early, but it is late if the loop is busy. So each access to a key also checks the key's deadline.
extension Store {
    /// The time until a key expires. It is `nil` if the key does not expire or does not exist.
    func timeLeft(of key: Bytes) -> Duration? {
        entries.withLock { $0[key]?.expiry?.left(at: loop.now) }
    }

    /// Makes a key expire `delay` from now. A delay of zero or less removes the key immediately. Returns false if there
    /// is no such key.
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

    /// Removes a key's deadline. Returns false if it has none, or there is no such key.
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
