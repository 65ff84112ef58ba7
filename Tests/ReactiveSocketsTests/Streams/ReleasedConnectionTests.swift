// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ReleasedConnectionTests {
        /// Where the last reference to a connection is released.
        enum Place: CaseIterable {
            case here, otherThread

            func run(_ release: @escaping @Sendable () -> Void) throws {
                switch self {
                case .here: release()
                case .otherThread: try TestThread(release).join()
                }
            }
        }

        @Test("A released connection leaves no timer of its timeouts", arguments: LoopKind.all, Place.allCases)
        func timers(_ kind: LoopKind, _ place: Place) throws {
            let loop = try kind.make(clock: ManualClock())
            let measured = try #require(loop as? any MeasuredLoop)
            let pair = SocketPair()
            defer { pair.close() }
            let held = Box<Connection?>(try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop))
            let limit = Duration.seconds(100)
            held.value?.setTimeouts(
                ConnectionTimeouts(idle: limit, readStalled: limit, writeStalled: limit, lifetime: limit)
            )
            try loop.turns(2)
            #expect(try measured.measurements().timers == 4)
            try place.run { held.value = nil }
            try loop.turns(3)
            #expect(try measured.measurements().timers == 0)
            loop.dispose()
        }

        @Test("An idle server, client, listener, socket and pipe have no timer", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let measured = try #require(loop as? any MeasuredLoop)
            let server = try Server(on: ownLoopback(), loops: LoopGroup(loop)) { connection in
                connection.send(from: connection.received)
            }
            let listener = try Listener(on: ownLoopback(), loop: loop)
            let accepted = listener.connections.log()
            let socket = try DatagramSocket(on: ownLoopback(), loop: loop)
            let datagrams = socket.received.log()
            let clients = [server.localAddress, listener.localAddress, listener.localAddress].map { address in
                Connection.connect(to: address, loop: loop).log()
            }
            try loop.turns { accepted.values.count == 2 && clients.allSatisfy { $0.values.count == 1 } }
            let received = clients[0].values[0].received.log()
            let piped = Connection.pipe(accepted.values[0], accepted.values[1]).log()
            try loop.turns(5)
            #expect(try measured.measurements().timers == 0)
            withExtendedLifetime((server, listener, socket, datagrams, clients, received, piped)) {}
        }

        @Test(
            "The results of sends whose sources never terminate fail on the loop when the connection is released",
            arguments: LoopKind.all,
            Place.allCases
        )
        func results(_ kind: LoopKind, _ place: Place) throws {
            for isSubject in [false, true] {
                let loop = try kind.make()
                let pair = SocketPair()
                defer { pair.close() }
                let held = Box<Connection?>(try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop))
                let subject = Box<Subject<Bytes, Never>?>(isSubject ? Subject() : nil)
                let results = (0..<2).map { _ in Log<Never, SocketError>() }
                let places = Recorder<Bool>()
                for result in results {
                    let source: Signal<Bytes, Never> = subject.value?.signal ?? .never
                    held.value?.send(from: source)
                        .handleEvents(onTermination: { _ in places.append(loop.isCurrent) })
                        .log(into: result)
                }
                try loop.turns(3)
                #expect(results.allSatisfy { !$0.hasEnded })
                try place.run {
                    held.value = nil
                    // The subject retains the connection for its values.
                    subject.value = nil
                }
                try loop.turns(5)
                #expect(results.map(\.code) == [.closed, .closed], "from a subject: \(isSubject)")
                #expect(places.values == [true, true])
                loop.dispose()
            }
        }
    }
}
