// SPDX-License-Identifier: MIT
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
        /// Each write to a closed peer returns an error. A SIGPIPE would end the test process.
        @Test("G1: one write, several writes in one call, and a datagram cause no SIGPIPE", arguments: LoopKind.all)
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
                    // One delivery sends them all, which makes one call.
                    if count > 1 { connection.core.value.receiving.beginDelivery() }
                    for _ in 0..<count { results.append(connection.send("x").log()) }
                    if count > 1 { _ = connection.core.value.receiving.endDelivery() }
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

        /// Another test that starts a program holds copies of all descriptors until its program runs.
        private func waitUntilGone(_ near: Int32) throws {
            try waitUntil("end of the peer") { send(near, "", 0, Int32(MSG_NOSIGNAL)) == -1 && errno != EAGAIN }
        }
    }
}
