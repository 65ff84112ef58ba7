import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct BrokenPipeTests {
        /// G1: whatever is written to a peer that is gone comes back as an error; a SIGPIPE would end these tests.
        @Test("G1: no SIGPIPE, by one write, by several in one call, or by a datagram", arguments: LoopKind.all)
        func gone(_ kind: LoopKind) throws {
            signal(SIGPIPE, SIG_DFL)
            let loop = try kind.make()
            for count in [1, 3] {
                let (near, far) = Descriptor.sockets()
                let connection = try Connection(adopting: near, loop: loop)
                close(far)
                try waitUntilGone(near)
                let results = Recorder<Log<Never, SocketError>>()
                loop.execute {
                    // As what one delivery sends: all of it in one call.
                    if count > 1 { connection.core.value.receiving.beginDelivery() }
                    for _ in 0..<count { results.append(connection.send("x").log()) }
                    _ = connection.core.value.receiving.endDelivery()
                    connection.core.value.flush()
                }
                try loop.turns { results.values.count == count && results.values.allSatisfy { $0.hasEnded } }
                #expect(results.values.allSatisfy { $0.code == .reset })
            }
            let (near, far) = Descriptor.sockets(.datagram)
            let datagrams = try DatagramSocket(adopting: near, loop: loop)
            close(far)
            try waitUntilGone(near)
            let sent = datagrams.send("x").log()
            try loop.turns { sent.hasEnded }
            #expect(!sent.isCompleted)
            datagrams.close()
            try loop.turns(2)
            loop.dispose()
        }

        /// A program that another test is starting holds a copy of every descriptor until it begins.
        private func waitUntilGone(_ near: Int32) throws {
            try waitUntil("end of the peer") { send(near, "", 0, Int32(MSG_NOSIGNAL)) == -1 && errno != EAGAIN }
        }
    }
}
