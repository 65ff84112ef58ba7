// SPDX-License-Identifier: MIT
#if CAres
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import SchedulerConformance
    import Testing

    @testable import ReactiveCAres

    extension CAres {
        @Suite struct ProbeTests {
            @Test("In one turn, c-ares opens a limited number of sockets to sort addresses")
            func limit() throws {
                let loop = try LoopKind.dispatch.make()
                defer { loop.dispose() }
                let core = AresCore(loop, AresSettings())
                var sockets = AresSockets(core)
                let datagram = Int32(SOCK_DGRAM.rawValue)
                for _ in 0..<2 {
                    sockets.beginCall(maximumReads: 64)
                    var opened = 0
                    for _ in 0..<2_000 {
                        let probe = sockets.make(AF_INET, datagram, Int32(IPPROTO_UDP))
                        let code = errno
                        guard probe >= 0 else {
                            #expect(code == EAFNOSUPPORT)
                            continue
                        }
                        opened += 1
                        #expect(sockets.close(probe) == 0)
                    }
                    #expect(opened == AresSockets.probesPerTurn && sockets.failure == nil)
                    // Questions still have sockets, but no further packet is read in this turn.
                    let question = sockets.make(AF_INET, datagram, 0)
                    #expect(question >= 0)
                    #expect(sockets.receive(question, nil, 0, nil, nil) == -1 && errno == EAGAIN)
                    #expect(sockets.close(question) == 0)
                }
                withExtendedLifetime(core) {}
            }
        }
    }
#endif
