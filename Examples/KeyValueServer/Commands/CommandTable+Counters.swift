// SPDX-License-Identifier: MIT
import ReactiveSockets

extension CommandTable {
    /// Adds the commands for values that are numbers.
    mutating func addCounters(_ store: Store) {
        add("incr", 2) { (request) throws(CommandFailure) in try store.add(1, to: request[1]) }
        add("decr", 2) { (request) throws(CommandFailure) in try store.add(-1, to: request[1]) }
        add("incrby", 3) { (request) throws(CommandFailure) in try store.add(request.integer(2), to: request[1]) }
        add("decrby", 3) { (request) throws(CommandFailure) in
            let number = try request.integer(2)
            if number == .min { throw .decrementOverflow }
            return try store.add(-number, to: request[1])
        }
    }
}

extension Store {
    fileprivate func add(_ number: Int, to key: Bytes) throws(CommandFailure) -> Reply {
        var sum = number
        if let old = value(of: key) {
            guard let old = Decimal.parse(old) else { throw .notAnInteger }
            let (total, isTooLarge) = old.addingReportingOverflow(number)
            if isTooLarge { throw .overflow }
            sum = total
        }
        change(key, to: Decimal.bytes(sum))
        return .integer(sum)
    }
}
