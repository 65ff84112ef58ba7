import ReactiveCore
import ReactiveSockets

extension CommandTable {
    /// Keys that go by themselves.
    mutating func addExpiry(_ store: Store) {
        add("expire", -3) { (request) throws(CommandFailure) in try store.expire(request, .seconds, "expire") }
        add("pexpire", -3) { (request) throws(CommandFailure) in try store.expire(request, .milliseconds, "pexpire") }
        add("persist", 2) { request in .integer(store.persist(request[1]) ? 1 : 0) }
        add("ttl", 2) { request in
            let milliseconds = store.millisecondsLeft(request[1])
            return .integer(milliseconds < 0 ? milliseconds : (milliseconds + 500) / 1000)
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
        let milliseconds = try ExpireTime.milliseconds(request.integer(2), unit, for: command)
        let condition = try ExpireCondition(request)
        let key = request[1]
        guard contains(key), condition.allows(deadline(of: key), loop.now + .milliseconds(milliseconds)) else {
            return .integer(0)
        }
        return .integer(expire(key, after: .milliseconds(milliseconds)) ? 1 : 0)
    }

    /// -2 where there is no such key, -1 where it does not expire.
    fileprivate func millisecondsLeft(_ key: Bytes) -> Int {
        guard contains(key) else { return -2 }
        guard let deadline = deadline(of: key) else { return -1 }
        return max(0, Int((deadline - loop.now) / .milliseconds(1)))
    }
}
