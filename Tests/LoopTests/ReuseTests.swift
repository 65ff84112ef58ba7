// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Reuses {
        @Test(
            "D7: each watch of a reused number is called while another thread disposes and closes",
            arguments: LoopKind.all
        )
        func stress(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let outcome = try ReuseStress.run(on: loop, count: Platform.rounds(10_000))
            #expect(outcome.silent == 0 && outcome.called >= Platform.rounds(9_900))
            loop.dispose()
        }

        @Test("D7: a live watch still works beside one that another thread has disposed", arguments: LoopKind.all)
        func liveBeside(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let calls = Box(0)
            let live = try loop.watch(pair.near, for: .read) { _ in calls.increment() }
            Descriptor.put("x", to: pair.far)
            loop.execute {
                guard let other = try? loop.watch(pair.near, for: .write, { _ in }) else { return }
                try? TestThread { other.dispose() }.join()
                let third = try? loop.watch(pair.near, for: .write) { _ in }
                third?.dispose()
            }
            try loop.turns(1)
            let before = calls.value
            try loop.turns(3)
            #expect(calls.value == before + 3)
            live.dispose()
            try loop.runUntilIdle()
        }

        @Test("A disposed watch leaves nothing behind if its number is refused the next time", arguments: LoopKind.all)
        func refusedAfter(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let number = fcntl(pair.near, F_DUPFD_CLOEXEC, Loops.highNumber(2))
            let interests: [Readiness] = [.read, .write]
            let watches = try interests.map { interest in try loop.watch(number, for: interest) { _ in } }
            loop.execute {
                try? TestThread {
                    for watch in watches { watch.dispose() }
                    close(number)
                }.join()
                #expect(failure { _ = try loop.watch(number, for: .read) { _ in } } == .badDescriptor)
            }
            try loop.turns(3)
            try loop.runUntilIdle()
        }

        @Test(
            "A watch of a number that was closed and reused while it had a watch is called",
            arguments: LoopKind.all,
            [Readiness(), .read, .write, [.read, .write]]
        )
        func closedWhileWatched(_ kind: LoopKind, _ stale: Readiness) throws {
            for interest: Readiness in [.read, .write, [.read, .write]] {
                for isDisposedFirst in [true, false] {
                    let loop = try kind.make()
                    let pair = SocketPair()
                    let number = fcntl(pair.near, F_DUPFD_CLOEXEC, 200)
                    let old = try loop.watch(number, for: stale) { _ in }
                    try loop.turns(1)
                    let other = SocketPair()
                    // Closes the number's old file, and reuses the number.
                    #expect(dup2(other.near, number) == number)
                    pair.close()
                    let seen = Box(Readiness())
                    let watch = try loop.watch(number, for: interest) { ready in seen.update { $0.formUnion(ready) } }
                    if isDisposedFirst { old.dispose() }
                    Descriptor.put("x", to: other.far)
                    try loop.turns { seen.value == interest }
                    old.dispose()
                    seen.value = []
                    try loop.turns { seen.value == interest }
                    watch.dispose()
                    close(number)
                    other.close()
                    try loop.runUntilIdle()
                }
            }
        }

        @Test("A watch of a number that was closed while it had a watch is refused", arguments: LoopKind.all)
        func closedAndNotReused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let number = fcntl(pair.near, F_DUPFD_CLOEXEC, Loops.highNumber(3))
            let old = try loop.watch(number, for: .read) { _ in }
            close(number)
            #expect(failure { _ = try loop.watch(number, for: .read) { _ in } } == .badDescriptor)
            old.dispose()
            try loop.runUntilIdle()
        }

        @Test(
            "A second watch with an empty interest is refused if the number was closed, or reused for a file",
            arguments: LoopKind.all,
            [false, true]
        )
        func emptyInterest(_ kind: LoopKind, _ isReused: Bool) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let number = fcntl(pair.near, F_DUPFD_CLOEXEC, Loops.highNumber(5))
            let old = try loop.watch(number, for: []) { _ in }
            if isReused { replaceByFile(number) } else { close(number) }
            pair.close()
            let error = #expect(throws: LoopError.self) { _ = try loop.watch(number, for: []) { _ in } }
            #expect(error?.code == .badDescriptor && error?.errno == (isReused ? EPERM : EBADF))
            old.dispose()
            if isReused { close(number) }
            try loop.runUntilIdle()
        }

        @Test(
            "A refused watch of a number that was reused for a file leaves the loop usable",
            arguments: LoopKind.all,
            [Readiness(), .read, .write, [.read, .write]]
        )
        func reusedForFile(_ kind: LoopKind, _ stale: Readiness) throws {
            for interest: Readiness in [.read, .write, [.read, .write]] {
                let loop = try kind.make()
                let pair = SocketPair()
                let number = fcntl(pair.near, F_DUPFD_CLOEXEC, 250)
                let old = try loop.watch(number, for: stale) { _ in }
                replaceByFile(number)
                pair.close()
                let error = #expect(throws: LoopError.self) { _ = try loop.watch(number, for: interest) { _ in } }
                #expect(error?.code == .badDescriptor && error?.errno == EPERM)
                try loop.turns(3)
                let other = SocketPair()
                #expect(dup2(other.near, number) == number)
                let seen = Box(Readiness())
                let watch = try loop.watch(number, for: interest) { ready in seen.update { $0.formUnion(ready) } }
                Descriptor.put("x", to: other.far)
                try loop.turns { seen.value == interest }
                old.dispose()
                watch.dispose()
                close(number)
                other.close()
                try loop.runUntilIdle()
            }
        }

        /// Closes a number, and reuses it for a regular file, which cannot be watched.
        private func replaceByFile(_ number: Int32) {
            let file = open("/proc/self/exe", O_RDONLY)
            #expect(dup2(file, number) == number)
            close(file)
        }
    }
}
