import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
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

        @Test("Bits of a readiness that mean nothing change nothing", arguments: LoopKind.all)
        func moreBits(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
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

        @Test("An interest is read on the loop, while nobody runs it, and after the end", arguments: LoopKind.all)
        func interest(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
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

        @Test("Reading an interest off the loop's thread traps, and says what to do")
        func interestElsewhere() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let loop = try LoopKind.dispatch.make(name: "busy", thread: .owned)
                let pair = SocketPair()
                let made = Box<(any DescriptorWatch)?>(nil)
                try loop.sync { made.value = try? loop.watch(pair.near, for: .read) { _ in } }
                _ = made.value?.interest
            }
            let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(said.contains("interest on loop busy: it runs on another thread; call this from the loop's own"))
        }

        @Test("A file that the system can wait for is watched on every loop", arguments: LoopKind.all)
        func pollableFile(_ kind: LoopKind) throws {
            let loop = try kind.make()
            // A regular file by its mode, which epoll takes all the same.
            let file = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC)
            #expect(try told(loop, file, .read) == .read)
            close(file)
            loop.dispose()
        }

        @Test("N21: what cannot be watched is refused, the same words everywhere", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let file = open("/proc/self/exe", O_RDONLY)
            let folder = open("/", O_RDONLY)
            let null = open("/dev/null", O_RDWR)
            // The last number there may be: no other test that runs now gets it.
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
            // None the worse.
            let pair = SocketPair()
            #expect(try told(loop, pair.near, .write) == .write)
            try loop.runUntilIdle()
        }
    }
}
