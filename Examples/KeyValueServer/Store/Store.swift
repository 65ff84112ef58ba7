// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import Synchronization

/// The keys and their values. One loop uses the store and expires its keys.
///
/// So the lock is always free. It proves to the compiler that access to the dictionary is synchronized. Stored bytes
/// are `compacted()`, so that a value of three bytes does not retain the chunk in which it arrived.
final class Store: Sendable {
    let loop: any TimedScheduler
    let entries = Mutex<[Bytes: Entry]>([:])

    init(on loop: any TimedScheduler) {
        self.loop = loop
    }

    /// The number of keys. It includes expired keys that their timers have not removed yet.
    var count: Int { entries.withLock { $0.count } }

    /// The number of keys with a deadline.
    var expiringCount: Int { entries.withLock { entries in entries.values.count { $0.expiry != nil } } }

    func value(of key: Bytes) -> Bytes? {
        entries.withLock { entries in
            guard let entry = entries[key], entry.isAlive(loop) else { return nil }
            return entry.value
        }
    }

    func contains(_ key: Bytes) -> Bool { value(of: key) != nil }

    /// Sets a value that does not expire.
    func set(_ key: Bytes, to value: Bytes) {
        let value = value.compacted()
        let old = entries.withLock { entries -> Expiry? in
            guard let index = entries.index(forKey: key) else {
                entries[key.compacted()] = Entry(value: value)
                return nil
            }
            entries.values[index].value = value
            return entries.values[index].expiry.take()
        }
        old?.timer?.dispose()
    }

    /// Sets a value, and keeps the key's deadline.
    func change(_ key: Bytes, to value: Bytes) {
        guard contains(key) else { return set(key, to: value) }
        let value = value.compacted()
        entries.withLock { $0[key]?.value = value }
    }

    /// Removes a key. Returns false if there is no such key.
    func remove(_ key: Bytes) -> Bool {
        guard let entry = entries.withLock({ $0.removeValue(forKey: key) }) else { return false }
        entry.expiry?.timer?.dispose()
        return entry.isAlive(loop)
    }

    func removeAll() {
        let all = entries.withLock { entries in
            defer { entries = [:] }
            return entries
        }
        for entry in all.values { entry.expiry?.timer?.dispose() }
    }

    func keys(_ glob: Glob) -> [Bytes] {
        let entries = entries.withLock { $0 }
        return entries.lazy.filter { [loop] in $1.isAlive(loop) && (glob.isStar || glob.matches($0)) }.map(\.key)
    }
}
