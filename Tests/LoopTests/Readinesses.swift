import Glibc
import LoopTestSupport
import ReactiveCore
import Testing

extension Loops {
    @Suite struct Readinesses {
        /// Runs turns until the watch has been called, and says with what.
        private func told(
            _ loop: any LoopScheduler,
            _ descriptor: Int32,
            _ interest: Readiness,
            _ cause: () -> Void = {}
        ) throws -> Readiness {
            let seen = Box(Readiness())
            let watch = try loop.watch(descriptor, for: interest) { ready in
                seen.update { seen in seen.formUnion(ready) }
            }
            defer { watch.dispose() }
            try loop.turns(1)
            cause()
            try loop.turns { seen.value == interest }
            return seen.value
        }

        @Test("N1: ready to read on data, at the end, after a reset, at a hang-up", arguments: LoopKind.all)
        func reading(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let data = SocketPair()
            #expect(try told(loop, data.near, .read) { put("x", to: data.far) } == .read)
            let end = SocketPair()
            #expect(try told(loop, end.near, .read) { shutdown(end.far, Int32(SHUT_WR)) } == .read)
            #expect(take(from: end.near) == 0)
            let gone = SocketPair()
            #expect(try told(loop, gone.near, [.read, .write]) { gone.closeFar() } == [.read, .write])
            // Closed with data unread: a reset.
            let reset = SocketPair()
            put("unread", to: reset.near)
            #expect(try told(loop, reset.near, .read) { reset.closeFar() } == .read)
            #expect(take(from: reset.near) == -1 && errno == ECONNRESET)
        }

        @Test("N1: a pipe whose other end has gone is ready, again and again", arguments: LoopKind.all)
        func pipes(_ kind: LoopKind) throws {
            let loop = try kind.make()
            for isWriter in [false, true] {
                var ends: [Int32] = [-1, -1]
                #expect(pipe(&ends) == 0)
                for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
                // A full pipe, so that only the hang-up makes the writing end ready.
                if isWriter { while write(ends[1], "0123456789abcdef", 16) > 0 {} }
                let calls = Box(0)
                let watch = try loop.watch(ends[isWriter ? 1 : 0], for: isWriter ? .write : .read) { _ in
                    calls.increment()
                }
                try loop.turns(2)
                #expect(calls.value == 0)
                close(ends[isWriter ? 0 : 1])
                for _ in 0..<5 {
                    let before = calls.value
                    try loop.turns { calls.value > before }
                }
                // Watching for nothing silences even that.
                try watch.setInterest([])
                let before = calls.value
                try loop.turns(5)
                #expect(calls.value == before)
                try watch.setInterest(isWriter ? .write : .read)
                try loop.turns { calls.value > before }
                watch.dispose()
                close(ends[isWriter ? 1 : 0])
            }
        }

        @Test("N1: ready to write when a connection succeeds, and when it is refused", arguments: LoopKind.all)
        func connecting(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    #expect(bind(listener, pointer, length) == 0)
                    #expect(getsockname(listener, pointer, &length) == 0)
                }
            }
            for isRefused in [true, false] {
                if !isRefused { #expect(listen(listener, 1) == 0) }
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                withUnsafePointer(to: &address) { pointer in
                    _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) }
                }
                #expect(try told(loop, client, .write) == .write)
                var error: Int32 = -1
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size)
                #expect(error == (isRefused ? ECONNREFUSED : 0))
                close(client)
            }
            close(listener)
        }

        @Test("N2: unread data calls again in every turn", arguments: LoopKind.all)
        func level(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let calls = Box(0)
            put("xyz", to: pair.far)
            let watch = try loop.watch(pair.near, for: .read) { _ in
                calls.increment()
                if calls.value > 3 { _ = take(1, from: pair.near) }
            }
            try loop.turns(6)
            #expect(calls.value == 6)
            try loop.turns(3)
            #expect(calls.value == 6)
            watch.dispose()
        }

        @Test("N3: reading and writing of one descriptor have owners of their own", arguments: LoopKind.all)
        func twoOwners(_ kind: LoopKind) throws {
            for disposesOther in [false, true] {
                let loop = try kind.make()
                let pair = SocketPair()
                put("x", to: pair.far)
                let trace = Recorder<String>()
                let reader = Box<(any DescriptorWatch)?>(nil)
                let writer = Box<(any DescriptorWatch)?>(nil)
                reader.value = try loop.watch(pair.near, for: .read) { ready in
                    #expect(ready == .read)
                    trace.append("read")
                }
                writer.value = try loop.watch(pair.near, for: .write) { ready in
                    #expect(ready == .write)
                    trace.append("write")
                    (disposesOther ? reader : writer).value?.dispose()
                }
                try loop.turns(3)
                let counts = [trace.values.count { $0 == "read" }, trace.values.count { $0 == "write" }]
                #expect(disposesOther ? counts[0] <= 1 && counts[1] == 3 : counts == [3, 1])
                // A third, whose interest comes and goes.
                let extra = try loop.watch(pair.near, for: []) { _ in trace.append("extra") }
                try extra.setInterest([.read, .write])
                #expect(extra.interest == [.read, .write])
                try loop.turns(1)
                #expect(trace.values.contains("extra"))
                for watch in [reader.value, writer.value, extra] { watch?.dispose() }
                try loop.runUntilIdle()
            }
        }

        @Test("N21: what cannot be watched is refused, the same words everywhere", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let file = open("/proc/self/exe", O_RDONLY)
            let folder = open("/", O_RDONLY)
            let null = open("/dev/null", O_RDWR)
            // The last number there may be: no other test that runs now gets it.
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let closed = fcntl(file, F_DUPFD, Int32(clamping: limit.rlim_cur) - 1)
            close(closed)
            #expect(closed > 0)
            for interest: Readiness in [.read, .write, [.read, .write], []] {
                for descriptor in [-1, Int32.min, closed, 100_000, file, folder, null] {
                    do {
                        let watch = try loop.watch(descriptor, for: interest) { _ in }
                        Issue.record("\(descriptor) is watched for \(interest)")
                        watch.dispose()
                    } catch {
                        #expect(error.code == .badDescriptor)
                        let isKind = [file, folder, null].contains(descriptor)
                        #expect(error.errno == (isKind ? EPERM : descriptor < 0 ? 0 : EBADF))
                    }
                }
            }
            for descriptor in [file, folder, null] { close(descriptor) }
            // None the worse.
            let pair = SocketPair()
            #expect(try told(loop, pair.near, .write) == .write)
            try loop.runUntilIdle()
        }
    }
}
