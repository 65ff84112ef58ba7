// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCore
    import ReactiveSockets

    /// Answers of DNS until they expire.
    struct AnswerCache {
        private let capacity: Int
        private var entries: [String: Entry] = [:]
        /// The number of addresses in all entries.
        private(set) var addressCount = 0

        private struct Entry {
            let addresses: [SocketAddress]
            let expiry: LoopInstant
        }

        /// Creates a cache for this number of addresses.
        init(capacity: Int) {
            self.capacity = max(0, capacity)
        }

        /// The addresses, or nil if the cache has none or they have expired.
        mutating func addresses(of key: String, at now: LoopInstant) -> [SocketAddress]? {
            guard let entry = entries[key] else { return nil }
            if entry.expiry > now { return entry.addresses }
            remove(key)
            return nil
        }

        /// Adds an answer. If there is no room, the answers that expire first are removed. An answer that would need
        /// more than a quarter of the cache is not added.
        mutating func add(_ addresses: [SocketAddress], for key: String, until expiry: LoopInstant) {
            remove(key)
            guard !addresses.isEmpty, addresses.count <= max(1, capacity / 4), capacity > 0 else { return }
            while addressCount + addresses.count > capacity, let first = firstToExpire { remove(first) }
            entries[key] = Entry(addresses: addresses, expiry: expiry)
            addressCount += addresses.count
        }

        mutating func removeAll() {
            entries = [:]
            addressCount = 0
        }

        private mutating func remove(_ key: String) {
            if let entry = entries.removeValue(forKey: key) { addressCount -= entry.addresses.count }
        }

        /// The key decides between equal instants, so that equal runs remove the same answers.
        private var firstToExpire: String? {
            entries.min { ($0.value.expiry, $0.key) < ($1.value.expiry, $1.key) }?.key
        }
    }
#endif
