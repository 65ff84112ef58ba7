// SPDX-License-Identifier: MIT
package import ReactiveCore

/// Rules whose checks begin with the same set-up. The check receives what the set-up creates.
extension Rule {
    /// Creates a rule about a loop: the main loop if the check runs on the main thread, a loop that owns a thread if the
    /// rule needs one, and otherwise a loop that the check itself runs.
    package init(
        _ id: String,
        _ statement: String,
        _ level: Level = .required,
        needs: Set<Capability> = [],
        on place: Place = .thread,
        limit: Duration = .seconds(20),
        check: @escaping @Sendable (Check, any LoopScheduler) throws -> Void
    ) {
        self.init(id, statement, level, needs: needs, on: place, limit: limit) { run in
            switch place {
            case .mainThread: try check(run, try run.mainLoop())
            case .thread: try check(run, try run.loop(isOwned: needs.contains(.ownThread)))
            }
        }
    }

    /// Creates a rule about a loop and a pair of connected sockets. It needs descriptors.
    init(
        _ id: String,
        _ statement: String,
        _ level: Level = .required,
        needs: Set<Capability> = [],
        on place: Place = .thread,
        file: StaticString = #fileID,
        line: Int = #line,
        check: @escaping @Sendable (Check, any LoopScheduler, SocketPair) throws -> Void
    ) {
        self.init(id, statement, level, needs: needs.union([.descriptors]), on: place) { run, loop in
            try check(run, loop, run.pair(file: file, line: line))
        }
    }

    /// Creates a rule about a loop and a listener on it, which must leave no open descriptor. It needs sockets.
    static func ofSockets(
        _ id: String,
        _ statement: String,
        needs: Set<Capability> = [],
        check: @escaping @Sendable (Check, any LoopScheduler, SocketBench) throws -> Void
    ) -> Rule {
        Rule(id, statement, needs: needs.union([.sockets])) { run, loop in
            let bench = try SocketBench(run, loop)
            try check(run, loop, bench)
            bench.end()
        }
    }
}
