// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent
    import Glibc
    import ReactiveCore
    import SchedulerConformance
    import SchedulerLibevent
    import Testing

    @Suite struct PollerRefusalTests {
        @Test("A libevent poller that fails to change an interest keeps the old interest and token")
        func libevent() throws {
            let pair = SocketPair()
            defer { pair.close() }
            var poller = try LibeventPoller()
            try poller.register(pair.near, .read, token: 1)
            // libevent refuses the 65,536th event for one kind of readiness of a descriptor.
            let handle = poller.nativeHandle
            let base = OpaquePointer(try #require(handle))
            let others = (0..<0xffff).compactMap { _ in
                event_new(base, pair.near, Int16(EV_WRITE), { _, _, _ in }, nil)
            }
            defer { for other in others { event_free(other) } }
            #expect(others.allSatisfy { event_add($0, nil) == 0 })
            #expect(throws: LoopError.self) { try poller.modify(pair.near, .write, token: 2) }
            for other in others { event_del(other) }
            Descriptor.put("x", to: pair.far)
            var reports: [(UInt64, Readiness)] = []
            try poller.wait(until: .now) { token, readiness in reports.append((token, readiness)) }
            #expect(reports.map(\.0) == [1] && reports.map(\.1) == [.read])
            poller.deregister(pair.near)
        }
    }
#endif
