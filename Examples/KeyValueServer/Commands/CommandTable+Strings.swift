// SPDX-License-Identifier: MIT
import ReactiveSockets

extension CommandTable {
    /// Adds the commands that read and write values.
    mutating func addStrings(_ store: Store) {
        add("get", 2) { request in Reply(store.value(of: request[1])) }
        add("set", -3) { (request) throws(CommandFailure) in
            guard request.count > 3 else {
                store.set(request[1], to: request[2])
                return .ok
            }
            return try SetOptions(request).apply(request[1], request[2], to: store)
        }
        add("mget", -2) { request in .array(request.words(from: 1).map { Reply(store.value(of: $0)) }) }
        add("mset", -3) { (request) throws(CommandFailure) in
            guard request.count % 2 == 1 else { throw .wrongArgumentCount("mset") }
            for index in stride(from: 1, to: request.count, by: 2) { store.set(request[index], to: request[index + 1]) }
            return .ok
        }
    }
}

extension Reply {
    /// Creates the reply for a value. The reply is `null` if there is no value.
    init(_ value: Bytes?) {
        if let value { self = .bulk(value) } else { self = .null }
    }
}
