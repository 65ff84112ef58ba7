// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Readinesses {
        /// Runs turns until the watch has been called. Returns the readiness that the watch received.
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

        @Test("Undefined bits of a readiness are ignored", arguments: LoopKind.all)
        func moreBits(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let seen = Box(Readiness())
            for interest: UInt8 in [1 | 4, 1 | 8 | 128] {
                let watch = try loop.watch(pair.near, for: Readiness(rawValue: interest)) { seen.value = $0 }
                Descriptor.put("x", to: pair.far)
                try loop.turns { seen.value == .read }
                seen.value = []
                try watch.setInterest(Readiness(rawValue: 4))
                try loop.turns(2)
                #expect(seen.value == [])
                watch.dispose()
            }
        }

        @Test("An interest can be read on the loop, between runs, and after disposal", arguments: LoopKind.all)
        func interest(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let watch = try loop.watch(pair.near, for: .read) { _ in }
            #expect(watch.interest == .read)
            loop.execute {
                try? watch.setInterest([.read, .write])
                #expect(watch.interest == [.read, .write])
            }
            try loop.turns(1)
            watch.dispose()
            #expect(watch.interest == [.read, .write])
            loop.dispose()
            #expect(watch.interest == [.read, .write])
        }

        @Test("Every loop can watch a file that supports poll", arguments: LoopKind.all)
        func pollableFile(_ kind: LoopKind) throws {
            let loop = try kind.make()
            // This is a regular file by its mode, but epoll accepts it.
            let file = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC)
            #expect(try told(loop, file, .read) == .read)
            close(file)
            loop.dispose()
        }

        @Test("N21: an unwatchable descriptor is refused with the same error on every loop", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let file = open("/proc/self/exe", O_RDONLY)
            let folder = open("/", O_RDONLY)
            let null = open("/dev/null", O_RDWR)
            let closed = fcntl(file, F_DUPFD, Loops.highNumber(1))
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
            // The loop still works.
            let pair = SocketPair()
            defer { pair.close() }
            #expect(try told(loop, pair.near, .write) == .write)
            try loop.runUntilIdle()
        }

        @Test("S9: of thousands of ready descriptors, each watch is called once before any is called again")
        func thousands() async {
            // In a process of its own, because other tests need descriptors too.
            await #expect(processExitsWith: .success) {
                DescriptorLimit.raise()
                // libuv polls again in one wait if 1024 descriptors are ready.
                let count = min(2500, DescriptorLimit.current - 200)
                for kind in LoopKind.all {
                    let loop = try kind.make()
                    let pair = SocketPair()
                    Descriptor.put("never read", to: pair.far)
                    let copies = (0..<count).map { _ in fcntl(pair.near, F_DUPFD_CLOEXEC, 3) }
                    let calls = Recorder<Int>()
                    let watches = try copies.enumerated().map { number, copy in
                        try loop.watch(copy, for: .read) { _ in calls.append(number) }
                    }
                    var counts = [Int](repeating: 0, count: count)
                    var seen = 0
                    for turn in 0..<50 {
                        try loop.turns(1)
                        let called = calls.values.dropFirst(seen)
                        seen += called.count
                        #expect(!called.isEmpty && Set(called).count == called.count, "turn \(turn) of \(kind)")
                        for number in called { counts[number] += 1 }
                        let difference = (counts.max() ?? 0) - (counts.min() ?? 0)
                        #expect(difference <= 1, "turn \(turn) of \(kind)")
                    }
                    for watch in watches { watch.dispose() }
                    for copy in copies { close(copy) }
                    pair.close()
                    loop.dispose()
                }
            }
        }
    }
}
