// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ReleasedSocketTests {
        @Test(
            "The release of a datagram socket completes its errors and fails its unfinished sends",
            arguments: LoopKind.all,
            [false, true]
        )
        func released(_ kind: LoopKind, _ elsewhere: Bool) throws {
            let loop = try kind.make()
            let held = Box<DatagramSocket?>(try DatagramSocket(on: ownLoopback(), loop: loop))
            let (errors, sending) = (Log<SocketError, Never>(), Log<Never, SocketError>())
            held.value?.errors.log(into: errors)
            held.value?.send(from: Signal<Datagram, Never>.never).log(into: sending)
            try loop.turns(3)
            #expect(!errors.hasEnded && !sending.hasEnded)
            if elsewhere { try TestThread { held.value = nil }.join() } else { held.value = nil }
            try loop.turns(5)
            #expect(errors.values.isEmpty && errors.ends == [.completed])
            #expect(sending.code == .closed)
            loop.dispose()
        }
    }
}
