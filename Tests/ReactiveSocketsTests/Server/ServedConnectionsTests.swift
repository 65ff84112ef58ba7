// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ServedConnectionsTests {
        @Test("A reused slot is not freed by its previous connection")
        func reuse() throws {
            let loop = try LoopKind.dispatch.make()
            defer { loop.dispose() }
            let pairs = (0..<3).map { _ in SocketPair() }
            defer { for pair in pairs { pair.close() } }
            let connections = try pairs.map { try Connection(adopting: fcntl($0.near, F_DUPFD_CLOEXEC, 0), loop: loop) }
            var served = ServedConnections()
            let (first, second) = (served.add(connections[0], at: loop.now), served.add(connections[1], at: loop.now))
            #expect(served.count == 2 && first.slot != second.slot)
            served.serve(first)
            #expect(served.end(first) == true && served.end(first) == nil)
            served.remove(first)
            #expect(served.count == 1 && served.all.map(\.slot) == [second.slot])
            let third = served.add(connections[2], at: loop.now)
            #expect(third.slot == first.slot && served.end(first) == nil)
            #expect(served.count == 2 && served.all.contains { $0.connection === connections[2] })
            // Neither was served, although the first connection in the slot was.
            for entry in [second, third] {
                #expect(served.end(entry) == false)
                served.remove(entry)
            }
            #expect(served.isEmpty && served.all.isEmpty)
        }
    }
}
