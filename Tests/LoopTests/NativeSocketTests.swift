// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import Testing

#if Libevent
    import CLibevent
#endif
#if Libuv
    import CLibuv
#endif

/// What the C callback does. Global and for one test at a time, since the C callbacks carry no context.
private let called = Box<@Sendable () -> Void>({})

extension Loops {
    @Suite struct NativeSockets {
        /// The loops whose C library has timers of its own, which fire inside of the loop's wait.
        static let kinds = LoopKind.all.filter { kind in kind != .dispatch }

        /// Runs `body` in a callback of a C timer on the library's own loop.
        private func inCallback(
            of kind: LoopKind,
            _ loop: any LoopScheduler,
            _ body: @escaping @Sendable () -> Void
        ) throws {
            let (isDone, refusal) = (Box(false), Box<LoopError.Code?>(nil))
            let other = SocketPair()
            defer { other.close() }
            called.value = {
                // Only inside of the wait a watch is refused on the loop's thread.
                refusal.value = failure { try loop.watch(other.near, for: .read) { _ in }.dispose() }
                body()
                isDone.value = true
            }
            defer { called.value = {} }
            let native = try #require(loop.nativeHandle(of: kind))
            switch kind {
            case .dispatch: Issue.record("libdispatch calls no C callbacks inside of the loop's wait: \(native)")
            #if Libuv
                case .libuv:
                    let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
                    uv_timer_init(native.assumingMemoryBound(to: uv_loop_t.self), timer)
                    let ready: uv_timer_cb = { timer in
                        called.value()
                        guard let timer else { return }
                        let handle = UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)
                        uv_close(handle) { handle in UnsafeMutableRawPointer(handle)?.deallocate() }
                    }
                    uv_timer_start(timer, ready, 0, 0)
            #endif
            #if Libevent
                case .libevent:
                    var delay = timeval(tv_sec: 0, tv_usec: 1)
                    let ready: event_callback_fn = { _, _, _ in called.value() }
                    let code = event_base_once(OpaquePointer(native), -1, Int16(EV_TIMEOUT), ready, nil, &delay)
                    #expect(code == 0)
            #endif
            }
            try loop.turns { isDone.value }
            #expect(refusal.value == .wrongThread)
        }

        /// A connection on the loop, and its peer. They are a pair of Unix sockets, whose buffers have a limited size.
        private func connected(_ loop: any LoopScheduler) throws -> (connection: Connection, peer: RawPeer) {
            let pair = SocketPair()
            defer { pair.close() }
            let peer = RawPeer(fcntl(pair.far, F_DUPFD_CLOEXEC, 0))
            let connection = try Connection(adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0), loop: loop)
            return (connection, peer)
        }

        @Test(
            "A connection whose send buffer becomes full in a C callback sends the rest later",
            arguments: kinds,
            [false, true]
        )
        func sending(_ kind: LoopKind, isReceiving: Bool) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (connection, peer) = try connected(loop)
            let (ended, received) = (connection.ended.log(), Log<Bytes, SocketError>())
            // With a reader there is a watch, whose interest changes.
            if isReceiving { connection.received.log(into: received) }
            try loop.turns(2)
            let size = 4 << 20
            try inCallback(of: kind, loop) { connection.send(Bytes([UInt8](repeating: 7, count: size))) }
            var count = 0
            try loop.turns {
                if case .bytes(let bytes) = peer.receive() { count += bytes.count }
                return count >= size || ended.hasEnded
            }
            #expect(count == size)
            #expect(!ended.hasEnded && !received.hasEnded, "\(ended.ends)")
            connection.abort()
        }

        @Test("A subscription to received bytes that begins in a C callback receives them", arguments: kinds)
        func receiving(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (connection, peer) = try connected(loop)
            let log = Log<Bytes, SocketError>()
            try inCallback(of: kind, loop) { connection.received.log(into: log) }
            peer.send("hello".utf8)
            try loop.turns { log.bytes.count == 5 || log.hasEnded }
            #expect(log.bytes == Array("hello".utf8))
            #expect(!log.hasEnded, "\(log.ends)")
            connection.abort()
        }

        @Test("A connection attempt that begins in a C callback succeeds", arguments: kinds)
        func connecting(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let listener = try Listener(on: .loopback(port: 0), loop: loop)
            let address = listener.localAddress
            let settings = ConnectSettings(timeout: .seconds(Latch.limit))
            let log = Log<Connection, SocketError>()
            try inCallback(of: kind, loop) {
                Connection.connect(to: address, loop: loop, settings: settings).log(into: log)
            }
            try loop.turns { log.hasEnded }
            #expect(log.isCompleted && log.values.count == 1, "\(log.ends)")
            for connection in log.values { connection.abort() }
            listener.close()
        }

        @Test("A subscription to a listener that begins in a C callback accepts connections", arguments: kinds)
        func listening(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let listener = try Listener(on: .loopback(port: 0), loop: loop)
            let log = Log<Connection, SocketError>()
            try inCallback(of: kind, loop) { listener.connections.log(into: log) }
            let client = try RawPeer(to: listener.localAddress)
            try loop.turns { log.values.count == 1 || log.hasEnded }
            #expect(log.values.count == 1 && !log.hasEnded, "\(log.ends)")
            for connection in log.values { connection.abort() }
            client.close()
            listener.close()
        }

        @Test("A subscription to datagrams that begins in a C callback receives them", arguments: kinds)
        func datagrams(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let sender = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            let log = Log<Datagram, SocketError>()
            try inCallback(of: kind, loop) { socket.received.log(into: log) }
            sender.send(Bytes("hello"), to: socket.localAddress)
            try loop.turns { log.values.count == 1 || log.hasEnded }
            #expect(log.values.map { Array($0.bytes) } == [Array("hello".utf8)])
            #expect(!log.hasEnded, "\(log.ends)")
            for socket in [socket, sender] { socket.close() }
        }
    }
}
