// SPDX-License-Identifier: MIT
import Dispatch
import GuestHosts
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv
import Testing

extension Guests {
    @Suite struct Refusals {
        @Test("A guest's own run is refused because its host runs it", arguments: GuestKind.all)
        func ownRun(_ kind: GuestKind) throws {
            let loop = try kind.make()
            let guest = loop.guest
            #expect(failure { try guest.run() } == .runByHost)
            #expect(failure { try guest.runUntilIdle() } == .runByHost)
            #expect(failure { try guest.runOnce(waiting: false) } == .runByHost)
            let inside = Box<LoopError.Code?>(nil)
            guest.execute { inside.value = failure { try guest.run() } }
            // A guest has no run that a stop could end, and a stop is not saved for later.
            guest.stop()
            try loop.turns { inside.value != nil }
            #expect(inside.value == .runByHost)
            loop.dispose()
            #expect(failure { try guest.run() } == .disposed)
        }

        @Test(
            "A guest's descriptors are refused off the host's thread, also between turns",
            arguments: GuestKind.all
        )
        func otherThread(_ kind: GuestKind) throws {
            let loop = try kind.make(isOwned: true)
            try loop.sync()
            let pair = SocketPair()
            #expect(failure { _ = try loop.watch(pair.near, for: .read) { _ in } } == .wrongThread)
            let inside = Box<LoopError.Code?>(.disposed)
            try loop.sync { inside.value = failure { try loop.watch(pair.near, for: .read) { _ in }.dispose() } }
            #expect(inside.value == nil)
            try Guests.waitForEnd { loop.dispose() }
        }

        @Test("A loop for a host cannot be created without a host")
        func withoutHost() {
            #expect(failure { _ = try DispatchLoop(name: "x", thread: .host) } == .badArgument)
        }

        #if Libuv
            @Test("A uv_loop_t has at most one guest at a time, and the pointer must be valid")
            func libuv() throws {
                #expect(failure { _ = try LibuvLoop(attachedTo: nil) } == .badArgument)
                #expect(
                    failure { _ = try LibuvLoop(attachedTo: UnsafeMutableRawPointer(bitPattern: -1)) } == .badArgument
                )
                let host = LibuvHostLoop()
                for _ in 0..<2 {
                    let guest = try LibuvLoop(attachedTo: host.native)
                    #expect(guest.nativeHandle == host.native)
                    #expect(failure { _ = try LibuvLoop(attachedTo: host.native) } == .alreadyAdopted)
                    guest.dispose()
                    try Guests.waitForEnd { host.runToEnd() }
                    #expect(guest.nativeHandle == nil)
                }
                host.close()
            }
        #endif

        #if Libevent
            @Test("An event_base has at most one guest at a time, and the pointer must be valid")
            func libevent() throws {
                #expect(failure { _ = try LibeventLoop(attachedTo: nil) } == .badArgument)
                #expect(
                    failure { _ = try LibeventLoop(attachedTo: UnsafeMutableRawPointer(bitPattern: 3)) } == .badArgument
                )
                let host = LibeventHostLoop()
                for _ in 0..<2 {
                    let guest = try LibeventLoop(attachedTo: host.native)
                    #expect(guest.nativeHandle == host.native)
                    #expect(failure { _ = try LibeventLoop(attachedTo: host.native) } == .alreadyAdopted)
                    guest.dispose()
                    try Guests.waitForEnd { host.runToEnd() }
                    #expect(guest.nativeHandle == nil)
                }
                host.close()
            }
        #endif
    }
}
