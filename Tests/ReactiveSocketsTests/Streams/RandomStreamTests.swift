// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// Random programs for both ends of a connection. Everything sent arrives complete and in order, and every result is
/// correct.
extension Sockets {
    @Suite struct RandomStreamTests {
        private static let rounds = getenv("STREAMS").flatMap { Int(String(cString: $0)) } ?? max(1, Platform.rounds(4))
        private static let seed = getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

        @Test("Both sides send, receive, pause and end at random, on two loops", arguments: LoopKind.pairs)
        func streams(_ first: LoopKind, _ second: LoopKind) throws {
            let loops = [try first.make(name: "left", thread: .owned), try second.make(name: "right", thread: .owned)]
            let listener = try Listener(on: ownLoopback(), loop: loops[0])
            var cores: [Weak<ConnectionCore>] = []
            for round in 0..<Self.rounds {
                let seed = Self.seed &+ UInt64(round) &* 1000
                let comment = "SEED=\(seed) STREAMS=1"
                try StreamProgram(loops, listener, seed).run(comment, &cores)
            }
            try waitUntil("end of \(cores.count) connections: \(cores.count { $0.object != nil }) are left") {
                cores.allSatisfy { $0.object == nil }
            }
            listener.close()
            try waitUntil("end of the sockets") { OpenSockets.count(on: listener.localAddress) == 0 }
            for loop in loops { loop.dispose() }
        }
    }
}
