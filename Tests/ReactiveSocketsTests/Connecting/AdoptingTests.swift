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
    @Suite struct AdoptingTests {
        private func pair() -> (Int32, Int32) {
            let (near, far) = Descriptor.sockets()
            // A caller may pass a blocking descriptor.
            Descriptor.setBlocking(near, true)
            return (near, far)
        }

        @Test("N21: a connection adopts a foreign socket and closes it", arguments: LoopKind.all)
        func connection(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = pair()
            var connection: Connection? = try Connection(adopting: near, loop: loop)
            #expect(fcntl(near, F_GETFL) & O_NONBLOCK != 0 && fcntl(near, F_GETFD) & FD_CLOEXEC != 0)
            let log = connection?.received.log()
            Descriptor.put("hello", to: far)
            try loop.turns { log?.bytes == Array("hello".utf8) }
            connection?.send("back")
            try loop.turns { Descriptor.take(from: far) == 4 }
            // Without references and receivers, the connection closes.
            log?.subscription.dispose()
            try loop.turns(2)
            // Another test may have reused the number by then.
            func identity() -> UInt64? {
                var status = stat()
                return fstat(near, &status) == 0 ? UInt64(status.st_ino) : nil
            }
            let own = identity()
            connection = nil
            try loop.turns { identity() != own }
            close(far)
            loop.dispose()
        }

        @Test(
            "N12, N21: the end of the stream reaches the peer even if a copy of the socket is open",
            arguments: LoopKind.all
        )
        func shared(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = pair()
            let copy = fcntl(near, F_DUPFD_CLOEXEC, 0)
            let connection = try Connection(adopting: near, loop: loop)
            let log = connection.received.log()
            let ended = connection.ended.log()
            shutdown(far, Int32(SHUT_WR))
            try loop.turns { log.isCompleted }
            connection.finishSending()
            var byte: UInt8 = 0
            try loop.turns { ended.isCompleted && recv(far, &byte, 1, 0) == 0 }
            close(copy)
            close(far)
            loop.dispose()
        }

        @Test("N21: a listener adopts a foreign listening socket", arguments: LoopKind.all)
        func listener(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (descriptor, _) = RawSocket.listener()
            let listener = try Listener(adopting: descriptor, loop: loop)
            #expect(listener.localAddress.port != 0)
            let count = Box(0)
            listener.connections.subscribe(onValue: { _ in count.increment() }, onTermination: noFailure())
            let client = try RawPeer(to: listener.localAddress)
            try loop.turns { count.value == 1 }
            client.close()
            listener.close()
            try loop.turns(2)
            loop.dispose()
        }

        @Test("N21: adopting an invalid descriptor throws and leaves the descriptor open")
        func refused() throws {
            let loop = try LoopKind.dispatch.make()
            let (near, far) = pair()
            let file = open("/dev/null", O_RDWR)
            let datagrams = RawSocket.make(.datagram, .ipv4)
            let listening = RawSocket.make(.stream, .ipv4)
            listen(listening, 1)
            for bad in [-1, 999_999, file, datagrams, listening] {
                let error = #expect(throws: SocketError.self) { try Connection(adopting: bad, loop: loop) }
                #expect(error?.code == .badDescriptor && error?.message.contains("\(bad)") == true)
            }
            for bad in [-1, 999_999, file, datagrams, near] {
                let error = #expect(throws: SocketError.self) { try Listener(adopting: bad, loop: loop) }
                #expect(error?.code == .badDescriptor)
            }
            for descriptor in [near, far, file, datagrams, listening] { #expect(close(descriptor) == 0) }
            loop.dispose()
        }
    }
}
