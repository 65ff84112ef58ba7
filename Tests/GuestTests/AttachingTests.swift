// SPDX-License-Identifier: MIT
#if Libuv
    import CLibuv
    import Glibc
    import GuestHosts
    import LoopTestSupport
    import ReactiveCore
    import SchedulerConformance
    import SchedulerEngine
    import SchedulerLibuv
    import Testing

    extension Guests {
        @Suite struct Attaching {
            @Test("libuv: a guest is in its host's epoll set before the host runs")
            func registered() throws {
                let host = LibuvHostLoop()
                let descriptor = uv_backend_fd(host.native.assumingMemoryBound(to: uv_loop_t.self))
                #expect(!isReadable(descriptor))
                let guest = try LibuvLoop(attachedTo: host.native)
                let ran = Box(0)
                guest.execute { _ = ran.increment() }
                // The guest has work, so a program that waits for the host's descriptor must find it readable.
                #expect(isReadable(descriptor))
                try waitUntil("the guest's work") {
                    host.runOnce(waiting: false)
                    return ran.value > 0
                }
                guest.dispose()
                try Guests.waitForEnd { host.runToEnd() }
                host.close()
            }

            private func isReadable(_ descriptor: Int32) -> Bool {
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return poll(&request, 1, 0) == 1
            }
        }
    }
#endif
