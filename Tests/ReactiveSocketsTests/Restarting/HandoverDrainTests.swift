// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// The old process drains while the next one has the sockets, and has not acknowledged them.
    @Suite struct HandoverDrainTests {
        /// A server on a Unix socket, because its file must survive the drain.
        private struct Site {
            let place = abstractName()
            let folder: TestFolder
            let address: SocketAddress
            let loops: LoopGroup
            let server: Server
            let handover: Handover
            let failures = Recorder<SocketError>()

            init(_ kind: LoopKind) throws {
                folder = try TestFolder()
                address = try .unix(path: folder.path("socket"))
                loops = try ServerFixture.group(kind, 1)
                server = try Server(on: address, loops: loops) { $0.send(from: $0.received) }
                handover = try Handover(of: [.server("unix", server)], at: place, loop: loops.loops[0])
                handover.failures.subscribe(onValue: { [failures] in failures.append($0) })
            }

            /// Drains, and waits until the server has closed its sockets.
            func drain() throws {
                let isOver = Latch()
                server.stop().subscribe(onTermination: { _ in isOver.arrive() })
                try isOver.wait()
            }

            var hasFile: Bool { access(folder.path("socket"), F_OK) == 0 }

            func takeOver() throws -> InheritedSockets {
                try #require(try InheritedSockets.handedOver(at: place))
            }
        }

        @Test("The next process receives sockets that work", arguments: LoopKind.all)
        func drained(_ kind: LoopKind) throws {
            let site = try Site(kind)
            defer { site.folder.remove() }
            let inherited = try site.takeOver()
            try site.drain()
            // No process accepts now, so this peer waits in the queue.
            let early = try RawPeer(to: site.address)
            let next = try Server(adopting: inherited.take("unix"), loops: ServerFixture.group(kind, 2)) {
                $0.send(from: $0.received)
            }
            try inherited.acknowledge()
            #expect(site.handover.isCompleted && site.failures.count == 0)
            ServerFixture.exchange(early)
            early.close()
            let late = try RawPeer(to: site.address)
            ServerFixture.exchange(late)
            late.close()
            site.loops.dispose()
            #expect(site.hasFile)
            try stop(next)
        }

        @Test("If the next process fails, the old one removes the file", arguments: LoopKind.all)
        func failed(_ kind: LoopKind) throws {
            let site = try Site(kind)
            defer { site.folder.remove() }
            var inherited: InheritedSockets? = try site.takeOver()
            inherited = nil
            try waitUntil("the first failure") { site.failures.count == 1 }
            #expect(site.hasFile)
            inherited = try site.takeOver()
            try site.drain()
            #expect(site.hasFile && inherited?.names == ["unix"])
            inherited = nil
            try waitUntil("the second failure") { site.failures.count == 2 }
            #expect(!site.hasFile)
            site.loops.dispose()
        }

        @Test("After a failed attempt, the file belongs to the old process again", arguments: LoopKind.all)
        func withdrawn(_ kind: LoopKind) throws {
            let site = try Site(kind)
            defer { site.folder.remove() }
            var inherited: InheritedSockets? = try site.takeOver()
            #expect(inherited?.names == ["unix"])
            inherited = nil
            try waitUntil("the failure") { site.failures.count == 1 }
            try site.drain()
            #expect(!site.hasFile)
            site.loops.dispose()
        }

        @Test("Closing the hand-over fails the attempt, and the old process removes the file", arguments: LoopKind.all)
        func closed(_ kind: LoopKind) throws {
            let site = try Site(kind)
            defer { site.folder.remove() }
            let inherited = try site.takeOver()
            try site.drain()
            let isOver = Latch()
            site.handover.completed.subscribe(onTermination: { _ in isOver.arrive() })
            site.handover.close()
            try isOver.wait()
            let error = #expect(throws: SocketError.self) { try inherited.acknowledge() }
            #expect(error?.code == .reset && !site.hasFile && !site.handover.isCompleted && site.failures.count == 0)
            site.loops.dispose()
        }
    }
}
