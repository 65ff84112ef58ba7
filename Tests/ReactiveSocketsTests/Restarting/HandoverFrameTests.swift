// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct HandoverFrameTests {
        @Test("Without free descriptors in the next process, those that have arrived are closed")
        func truncation() async {
            await #expect(processExitsWith: .success) {
                let (near, far) = Descriptor.sockets()
                let message = HandoverFrame(offering: [(.service, "a"), (.service, "b"), (.handover, "c")]).encoded
                let sent = reactive_send_descriptors(far, message, message.count, [near, near, near], 3)
                #expect(sent == message.count)
                let (limit, before) = (DescriptorLimit.current, openSockets())
                DescriptorLimit.leave(1)
                let exchange = BlockingExchange(SystemSocket(descriptor: near), "cannot receive", .seconds(10))
                let error = #expect(throws: SocketError.self) { _ = try exchange.receive() }
                DescriptorLimit.set(limit)
                #expect(error?.code == .outOfDescriptors && openSockets() == before)
                Descriptor.close(near)
                Descriptor.close(far)
            }
        }

        @Test("A time limit of zero ends an exchange although bytes keep arriving")
        func slowness() throws {
            let (near, far) = Descriptor.sockets()
            let (peer, isOver) = (RawPeer(far), Latch())
            let sender = TestThread {
                // Each byte follows when the one before has been received.
                for byte in HandoverFrame(offering: [(.handover, "handover")]).encoded {
                    peer.send([byte])
                    try waitUntil("the receiver") { peer.unsentCount == 0 || isOver.isOpen }
                }
            }
            let exchange = BlockingExchange(SystemSocket(descriptor: near), "cannot receive", .zero)
            let error = #expect(throws: SocketError.self) { _ = try exchange.receive() }
            #expect(error?.code == .timedOut)
            isOver.arrive()
            try sender.join()
            Descriptor.close(near)
            peer.close()
        }

        @Test("A changed message is refused or harmless, and none traps")
        func mutations() throws {
            let names: [HandoverFrame.Name] = [(.service, "echo"), (.service, "x"), (.handover, "handover")]
            let samples = [HandoverFrame(offering: names), HandoverFrame(.request), HandoverFrame(.ready)].map(
                \.encoded
            )
            var random = SplitMix64(seed: 1)
            var parsed = 0
            for number in 0..<5_000 {
                var stream = samples[number % 3]
                ProxySamples.change(&stream, &random)
                guard let frame = try? HandoverFrame.parse(stream), let names = try? frame.names() else { continue }
                parsed += 1
                #expect(names.count <= 4 && names.allSatisfy { !$0.name.isEmpty })
            }
            #expect(parsed > 100)
        }
    }
}
