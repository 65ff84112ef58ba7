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
            // The highest possible number: no other test that runs now gets it.
            let closed = fcntl(file, F_DUPFD, Int32(clamping: DescriptorLimit.current) - 1)
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
    }
}
