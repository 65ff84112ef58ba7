// SPDX-License-Identifier: MIT
import CReactive
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// One process of a hand-over. The test plays the other one with raw sockets.
    @Suite struct HandoverProtocolTests {
        /// The old process on a loop that the test runs, and a connected peer.
        private struct OldProcess {
            let loop: any LoopScheduler
            let listener: Listener
            let handover: Handover
            let failures = Recorder<SocketError>()
            let place = abstractName()
            let peer: RawPeer

            init(_ kind: LoopKind, sockets: Int = 1) throws {
                loop = try kind.make()
                listener = try Listener(on: ownLoopback(), loop: loop)
                let same = Array(repeating: HandoverSocket.listener("tcp", listener), count: sockets)
                handover = try Handover(of: same, at: place, loop: loop)
                handover.failures.subscribe(onValue: { [failures] in failures.append($0) })
                peer = try RawPeer(to: place)
            }

            /// Sends a message. Returns the answer.
            func exchange(_ frame: HandoverFrame) throws -> RawPeer.Read {
                peer.send(frame.encoded)
                var answer = RawPeer.Read.nothing
                try loop.turns {
                    answer = peer.receive()
                    return answer != .nothing
                }
                return answer
            }

            func end() throws {
                peer.close()
                handover.close()
                listener.close()
                try loop.expectNothingLeft()
                loop.dispose()
            }
        }

        @Test("The old process ends its stream behind the release of the sockets", arguments: LoopKind.all)
        func release(_ kind: LoopKind) throws {
            let old = try OldProcess(kind)
            _ = try old.exchange(HandoverFrame(.request))
            #expect(try old.exchange(HandoverFrame(.ready)) == .bytes(HandoverFrame(.released).encoded))
            try old.loop.turns(5)
            #expect(old.peer.receive() == .end && old.handover.isCompleted)
            try old.end()
        }

        @Test("A process that has closed behind its acknowledgement has not taken over", arguments: LoopKind.all)
        func death(_ kind: LoopKind) throws {
            let old = try OldProcess(kind)
            _ = try old.exchange(HandoverFrame(.request))
            old.peer.send(HandoverFrame(.ready).encoded)
            // A copy of the descriptor may delay the end of the stream that a close causes.
            old.peer.finish()
            old.peer.close()
            try old.loop.turns { old.failures.count == 1 || old.handover.isCompleted }
            #expect(old.failures.values.map(\.code) == [.reset] && !old.handover.isCompleted)
            try old.end()
        }

        @Test("The old process closes the connection before it reports a failure", arguments: LoopKind.all)
        func failure(_ kind: LoopKind) throws {
            let old = try OldProcess(kind)
            let counts = Recorder<Int>()
            old.handover.failures.subscribe(onValue: { [place = old.place] _ in
                counts.append(OpenSockets.count(on: place))
            })
            old.peer.send(HandoverFrame(.ready).encoded)
            try old.loop.turns { counts.count == 1 }
            // The listening socket and that of the peer.
            #expect(counts.values == [2])
            try old.end()
        }

        @Test("The old process passes 63 sockets, and refuses to pass 64", arguments: LoopKind.all, [63, 64])
        func limit(_ kind: LoopKind, _ sockets: Int) throws {
            let old = try OldProcess(kind, sockets: sockets)
            let answer = try old.exchange(HandoverFrame(.request))
            #expect((answer == .end) == (sockets == 64))
            #expect(old.failures.values.map(\.code) == (sockets == 64 ? [.malformed] : []))
            try old.end()
        }

        @Test("Wrong names of sockets are refused, and addresses that are not Unix sockets", arguments: LoopKind.all)
        func names(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let listener = try Listener(on: ownLoopback(), loop: loop)
            func expect(_ code: SocketError.Code, _ name: String, at address: SocketAddress) {
                let error = #expect(throws: SocketError.self) {
                    _ = try Handover(of: [.listener(name, listener)], at: address, loop: loop)
                }
                #expect(error?.code == code)
            }
            for name in ["", "a:b", "\u{e9}", String(repeating: "a", count: 256)] {
                expect(.malformed, name, at: abstractName())
            }
            expect(.invalidAddress, "tcp", at: ownLoopback())
            listener.close()
            try loop.expectNothingLeft()
            loop.dispose()
        }

        /// Plays an old process at an address for one process: offers sockets, and then calls `rest`. It passes `service`
        /// and `handover` instead of the socket at which it listens itself.
        private func offer(
            _ purposes: [HandoverFrame.Purpose],
            service: Int32? = nil,
            handover: Int32? = nil,
            at place: SocketAddress,
            _ rest: @escaping @Sendable (RawPeer) -> Void = { _ in }
        ) -> TestThread {
            let listener = RawSocket.listener(on: place).descriptor
            return TestThread {
                let peer = RawPeer.accepted(by: listener)
                peer.setBlocking(true)
                _ = peer.receive()
                let message = HandoverFrame(offering: purposes.map { ($0, "name") }).encoded
                let sockets = purposes.map { ($0 == .service ? service : handover) ?? listener }
                reactive_send_descriptors(peer.descriptor, message, message.count, sockets, sockets.count)
                rest(peer)
                peer.close()
                Descriptor.close(listener)
            }
        }

        @Test("Only a release completes an acknowledgement", arguments: [HandoverFrame.Kind.request, .offer, .ready])
        func answer(_ kind: HandoverFrame.Kind) throws {
            let place = abstractName()
            let old = offer([.service, .handover], at: place) { peer in
                _ = peer.receive()
                peer.send(HandoverFrame(kind).encoded)
            }
            var inherited = try InheritedSockets.handedOver(at: place)
            #expect(inherited?.names == ["name"])
            let error = #expect(throws: SocketError.self) { try inherited?.acknowledge() }
            #expect(error?.code == .malformed)
            inherited = nil
            try old.join()
            #expect(OpenSockets.count(on: place) == 0)
        }

        @Test(
            "An offer must end with the socket of the next hand-over, and contain no other one",
            arguments: [[], [.service], [.handover, .service], [.handover, .handover]] as [[HandoverFrame.Purpose]]
        )
        func order(_ purposes: [HandoverFrame.Purpose]) throws {
            let place = abstractName()
            let old = offer(purposes, at: place)
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
            #expect(error?.code == .malformed)
            try old.join()
            #expect(OpenSockets.count(on: place) == 0)
        }

        /// A descriptor that no old process should pass.
        enum WrongSocket: CaseIterable {
            case connected, silent, pipe

            /// Opens the descriptor, and perhaps another one behind it. The caller closes them.
            var descriptors: [Int32] {
                switch self {
                case .connected:
                    let pair = Descriptor.sockets()
                    return [pair.near, pair.far]
                case .silent: return [RawSocket.bound(to: ownLoopback())]
                case .pipe:
                    let pipe = Descriptor.pipe()
                    return [pipe.reading, pipe.writing]
                }
            }
        }

        @Test(
            "A socket that neither listens nor receives datagrams is refused, and the error contains its name",
            arguments: WrongSocket.allCases
        )
        func wrongSocket(_ socket: WrongSocket) throws {
            let place = abstractName()
            let descriptors = socket.descriptors
            let old = offer([.service, .handover], service: descriptors[0], at: place)
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
            #expect(error?.code == .badDescriptor)
            #expect(error?.message.contains("the socket \"name\"") == true, "\(String(describing: error))")
            try old.join()
            for descriptor in descriptors { Descriptor.close(descriptor) }
            #expect(OpenSockets.count(on: place) == 0)
        }

        @Test("Taking a socket that does not listen, or a name that no socket has, fails with a list of the names")
        func otherSockets() throws {
            let place = abstractName()
            let datagrams = RawSocket.bound(to: ownLoopback(), .datagram)
            let old = offer([.service, .service, .handover], service: datagrams, at: place)
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            try old.join()
            func expect(_ text: String, _ take: () throws -> [Int32]) {
                let error = #expect(throws: SocketError.self) { _ = try take() }
                #expect(error?.code == .badDescriptor)
                #expect(error?.message.contains(text) == true, "\(String(describing: error))")
            }
            expect("none listens, and these are left: \"name\"") { try inherited.takeListening() }
            expect("none has the name \"tcp\", and these are left: \"name\"") { try inherited.take("tcp") }
            let taken = try inherited.take("name")
            #expect(taken.count == 2)
            let group = try ServerFixture.group(.dispatch, 1)
            let address = try #require(OpenSockets.localAddress(of: datagrams))
            expect("(\(address)): it is not a stream socket") {
                _ = try Server(adopting: taken, loops: group) { $0.send(from: $0.received) }
                return []
            }
            expect("none is left") { try inherited.take("name") }
            expect("none is left") { try inherited.takeListening() }
            group.dispose()
            for descriptor in taken + [datagrams] { Descriptor.close(descriptor) }
        }

        @Test("The socket of the next hand-over must be a Unix socket that listens", arguments: LoopKind.all)
        func wrongHandover(_ kind: LoopKind) throws {
            let loop = try kind.make()
            for wrong in [RawSocket.bound(to: abstractName()), RawSocket.listener(on: ownLoopback()).descriptor] {
                let place = abstractName()
                let old = offer([.service, .handover], handover: wrong, at: place)
                let inherited = try #require(try InheritedSockets.handedOver(at: place))
                try old.join()
                let error = #expect(throws: SocketError.self) {
                    _ = try Handover(of: [], at: place, loop: loop, after: inherited)
                }
                #expect(error?.code == .malformed)
                #expect(error?.message.contains("is not a listening Unix socket") == true)
                Descriptor.close(wrong)
            }
            try loop.expectNothingLeft()
            loop.dispose()
        }
    }
}
