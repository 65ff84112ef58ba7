// SPDX-License-Identifier: MIT
import ReactiveSockets

extension CommandTable {
    /// Adds the commands for keys, whatever their values are.
    mutating func addKeys(_ store: Store) {
        add("del", -2) { request in .integer(request.words(from: 1).count { store.remove($0) }) }
        add("exists", -2) { request in .integer(request.words(from: 1).count { store.contains($0) }) }
        add("keys", 2) { request in .array(store.keys(Glob(request[1])).map(Reply.bulk)) }
        add("dbsize", 1) { _ in .integer(store.count) }
        for name in ["flushdb", "flushall"] {
            add(name, -1) { (request) throws(CommandFailure) in
                let isKnown = [CommandName("sync"), CommandName("async")].contains(request.option(request.count - 1))
                if request.count > 2 || request.count == 2 && !isKnown { throw .syntax }
                store.removeAll()
                return .ok
            }
        }
    }
}
