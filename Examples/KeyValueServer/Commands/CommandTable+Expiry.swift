// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

extension CommandTable {
    /// Adds the commands for keys that expire.
    mutating func addExpiry(_ store: Store) {
        add("expire", -3) { (request) throws(CommandFailure) in try store.expire(request, .seconds, "expire") }
        add("pexpire", -3) { (request) throws(CommandFailure) in try store.expire(request, .milliseconds, "pexpire") }
        add("persist", 2) { request in .integer(store.persist(request[1]) ? 1 : 0) }
        add("ttl", 2) { request in
            let milliseconds = store.millisecondsLeft(request[1])
            return .integer(milliseconds < 0 ? milliseconds : milliseconds / 1000 + (milliseconds % 1000 + 500) / 1000)
        }
        add("pttl", 2) { request in .integer(store.millisecondsLeft(request[1])) }
    }
}

extension Store {
    fileprivate func expire(
        _ request: Request,
        _ unit: ExpireTime.Unit,
        _ command: String
    ) throws(CommandFailure) -> Reply {
        // The options are checked first, because their errors take precedence.
        let condition = try ExpireCondition(request)
        let time = try Duration.milliseconds(ExpireTime.milliseconds(request.integer(2), unit, for: command))
        let key = request[1]
        guard contains(key), condition.allows(timeLeft(of: key), time) else { return .integer(0) }
        return .integer(expire(key, after: time) ? 1 : 0)
    }

    /// The remaining milliseconds. The value is -2 if there is no such key, and -1 if the key does not expire.
    fileprivate func millisecondsLeft(_ key: Bytes) -> Int {
        guard contains(key) else { return -2 }
        guard let left = timeLeft(of: key) else { return -1 }
        // Integer arithmetic, because a double cannot represent large numbers of milliseconds exactly.
        let (seconds, attoseconds) = left.components
        // Rounded up, as in Redis, whose clock counts whole milliseconds.
        let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return max(0, Int(seconds) * 1000 + Int(milliseconds))
    }
}
