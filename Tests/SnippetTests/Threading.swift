// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import ReactiveCore
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

// The snippets of Docs/Threading.md.

private func waitForTheLastFiring(of timer: any Disposable, on loop: any LoopScheduler) {
    let finished = DispatchSemaphore(value: 0)
    timer.dispose()
    loop.execute { finished.signal() }  // runs after the timer's last firing
    finished.wait()
}

private func stop(_ watch: any DescriptorWatch, of descriptor: Int32, on loop: any LoopScheduler) {
    watch.dispose()
    loop.execute { close(descriptor) }  // the loop has removed the watch, and no callback is running
}

@Suite struct ThreadingSnippets {
    @Test func noFiringFollows() throws {
        let loop = try DispatchLoop(name: "snippet")
        defer { loop.dispose() }
        let firings = Recorder<Void>()
        let timer = loop.schedule(every: .milliseconds(1)) { firings.append(()) }
        waitForTheLastFiring(of: timer, on: loop)
        let count = firings.count
        let latch = Latch()
        loop.schedule(after: .milliseconds(20)) { latch.arrive() }
        #expect(latch.wait(.seconds(Latch.limit)))
        #expect(firings.count == count)
    }

    @Test func theDescriptorIsClosed() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { close(ends[1]) }
        for end in ends { #expect(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        let loop = try DispatchLoop(name: "snippet", thread: .caller)
        defer { loop.dispose() }
        let watch = try loop.watch(ends[0], for: .read) { _ in }
        stop(watch, of: ends[0], on: loop)
        try loop.runUntilIdle()
        // When nobody can read any more, the end to write reports an error.
        #expect(Descriptor.wait(for: ends[1], 0))
        var writer = pollfd(fd: ends[1], events: 0, revents: 0)
        #expect(poll(&writer, 1, 0) == 1)
        #expect(writer.revents & Int16(POLLERR) != 0)
    }
}
