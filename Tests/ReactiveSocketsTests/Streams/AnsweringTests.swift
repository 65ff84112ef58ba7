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

extension Sockets {
    /// Peers that leave while the connection answers them, or is watched only for their end.
    @Suite struct AnsweringTests {
        enum Form: CaseIterable, Sendable {
            case direct, framed, buffered, observed, nested, shared, sharedLater, replayed

            /// An answer that never comes.
            func answers(_ connection: Connection) -> Signal<Bytes, SocketError> {
                let received = connection.received
                let work: @Sendable (Bytes) -> Signal<Bytes, SocketError> = { _ in Signal<Bytes, SocketError>.never }
                switch self {
                case .direct: return received.flatMap(.concat, work)
                case .framed: return received.framed(by: .newline, limit: 64).flatMap(.concat, work)
                case .buffered: return received.buffer(1).flatMap(.concat, work)
                case .observed: return received.observe(on: connection.loop, limit: 1).flatMap(.concat, work)
                case .nested:
                    let greeting = Signal<Bytes, SocketError>(just: Bytes("hello"))
                    return greeting.flatMap { _ in received.flatMap(.concat, work) }
                case .shared: return received.share().flatMap(.concat, work)
                case .sharedLater:
                    let lines = received.share()
                    lines.subscribe(onValue: { _ in }, onTermination: { _ in })
                    return lines.flatMap(.concat, work)
                case .replayed: return received.share(replay: 1).flatMap(.concat, work)
                }
            }
        }

        @Test(
            "N27: a peer that has sent surplus lines and left is noticed with every operator",
            arguments: LoopKind.all,
            Form.allCases
        )
        func left(_ kind: LoopKind, _ form: Form) throws {
            let pair = try TimedPair(kind)
            let ended = pair.connection.ended.log()
            pair.connection.send(from: form.answers(pair.connection))
            for _ in 0..<6 {
                pair.peer.send("line\n".utf8)
                try pair.loop.turns(3)
                _ = pair.peer.receive()
            }
            try pair.pass(20)
            #expect(pair.isOpen)
            pair.peer.finish()
            try pair.pass(100)
            #expect(ended.hasEnded)
        }

        /// If the descriptor were closed first, the loop could not remove the watch, and each wait would report the duplicate.
        @Test(
            "A connection that another thread releases closes its descriptor after its watch, although there is a duplicate",
            arguments: LoopKind.all
        )
        func duplicated(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let held = Box<Connection?>(try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop))
            held.value?.setTimeouts(ConnectionTimeouts())
            try loop.turns { held.value?.core.value.watchKind == .weak }
            // `pair.near` still refers to the socket, as a descriptor of a child process does.
            try TestThread { held.value = nil }.join()
            try loop.turns(5)
            Descriptor.put("x", to: pair.far)
            let first = loop.turn
            try loop.turns(3)
            let timer = loop.schedule(at: loop.now + .milliseconds(50), options: TimerOptions()) { loop.stop() }
            try loop.run()
            #expect(loop.turn - first < 20, "the loop spins")
            timer.dispose()
            loop.expectNothingLeftAndDispose { Issue.record($0) }
        }

        /// The loop's job may run before the release has returned.
        @Test(
            "A loop does not spin after another thread has released connections with duplicates",
            arguments: LoopKind.all
        )
        func released(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let pairs = (0..<200).map { _ in SocketPair() }
            defer { for pair in pairs { pair.close() } }
            for pair in pairs {
                let held = Box<Connection?>(try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop))
                held.value?.setTimeouts(ConnectionTimeouts())
                let isWatched = Latch()
                loop.execute { loop.execute { loop.execute { isWatched.arrive() } } }
                try isWatched.wait("the watch")
                held.value = nil
            }
            for pair in pairs { Descriptor.put("x", to: pair.far) }
            let (first, turns, measured) = (Box(0), Box(0), Latch())
            loop.execute {
                first.value = Int(loop.turn)
                loop.schedule(after: .milliseconds(50)) {
                    turns.value = Int(loop.turn) - first.value
                    measured.arrive()
                }
            }
            try measured.wait("the timer")
            #expect(turns.value < 20, "the loop spins")
            loop.expectNothingLeftAndDispose { Issue.record($0) }
        }

        @Test("A connection that has sent does not keep `runUntilIdle` from returning", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.send("x")
            let loop = pair.loop
            try TestThread { try loop.runUntilIdle() }.join("an idle loop")
            #expect(pair.isOpen)
        }
    }
}
