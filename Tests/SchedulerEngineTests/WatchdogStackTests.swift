// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance
import Synchronization
import Testing

/// The capture of a stack, in threads and programs that make it hard. The handler of a signal belongs to the process.
@Suite(.serialized) struct WatchdogStackTests {
    @Test("The program's handler of the signal stays, also if it is installed or restored during a capture")
    func programsHandler() async {
        // In a process of its own, because other tests capture stacks with this signal.
        await #expect(processExitsWith: .success) {
            let before = received.load(ordering: .relaxed)
            try TestThread {
                SignalMask.clear()
                let blocked = BlockedThread()
                let first = blocked.capture()
                try waitUntil("the handler of a capture") { !isIgnored(disposition()) }
                // Between two lines of the capture, the program installs its handler and keeps the one that it has found.
                var own = sigaction()
                own.__sigaction_handler.sa_handler = { _ in received.add(1, ordering: .relaxed) }
                var found = sigaction()
                sigaction(SIGURG, &own, &found)
                try first.join()
                raise(SIGURG)
                #expect(received.load(ordering: .relaxed) == before + 1)
                // It restores what it has found. Then a signal during a capture must not call the capture's handler forever.
                sigaction(SIGURG, &found, nil)
                let second = blocked.capture()
                try waitUntil("the signal of the capture") { blocked.hasPendingSignal }
                raise(SIGURG)
                try second.join()
                try blocked.end()
                sigaction(SIGURG, &own, nil)
                _ = try? ThreadStack(of: .current)
                raise(SIGURG)
                #expect(received.load(ordering: .relaxed) >= before + 2)
                var none = sigaction()
                none.__sigaction_handler.sa_handler = SIG_DFL
                sigaction(SIGURG, &none, nil)
            }.join()
        }
    }

    @Test("The stack of a thread on a small alternate signal stack is its current function")
    func smallStack() throws {
        let (thread, ended) = (Box<ThreadStack.Thread?>(nil), Latch())
        let over = Over()
        let runner = TestThread {
            SignalMask.clear()
            let room = sysconf(Int32(_SC_MINSIGSTKSZ)) + 5_500
            // Writing below the stack fails.
            let memory = mmap(nil, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
            let begin = memory + (1 << 19)
            mprotect(begin, 1 << 16, PROT_READ | PROT_WRITE)
            var stack = stack_t()
            (stack.ss_sp, stack.ss_size) = (begin, Int(room))
            #expect(sigaltstack(&stack, nil) == 0)
            thread.value = .current
            while !over.value.load(ordering: .relaxed) {}
            stack.ss_flags = Int32(SS_DISABLE)
            sigaltstack(&stack, nil)
            munmap(memory, 1 << 20)
            ended.arrive()
        }
        defer { over.value.store(true, ordering: .relaxed) }
        try waitUntil("the thread") { thread.value != nil }
        // The limit is longer than a pause of the machine.
        let stack = try ThreadStack(of: try #require(thread.value), within: 60_000_000_000)
        over.value.store(true, ordering: .relaxed)
        try ended.wait()
        try runner.join()
        // On other processors the minimum may be larger than what the kernel uses, and leave room for the unwinder.
        if sysconf(Int32(_SC_MINSIGSTKSZ)) < 5_000 { #expect(stack.addresses.count == 1) }
        #expect(!stack.addresses.isEmpty)
    }

    @Test("A thread inside the unwinder is not unwound, because the unwinder's last instructions cannot be")
    func unwinding() throws {
        typealias Unwind = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
        let thread = Box<ThreadStack.Thread?>(nil)
        let over = Over()
        let runner = TestThread {
            SignalMask.clear()
            let backtrace = unsafeBitCast(dlsym(nil, "backtrace"), to: Unwind.self)
            thread.value = .current
            var frames = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
            while !over.value.load(ordering: .relaxed) { _ = backtrace(&frames, 64) }
        }
        defer { over.value.store(true, ordering: .relaxed) }
        try waitUntil("the thread") { thread.value != nil }
        var counts: [Int] = []
        try waitUntil("a capture inside the unwinder") {
            let stack = try ThreadStack(of: try #require(thread.value), within: 60_000_000_000)
            if stack.lines.first?.hasPrefix("libgcc_s.so.1") == true { counts.append(stack.addresses.count) }
            return counts.count == 20
        }
        over.value.store(true, ordering: .relaxed)
        try runner.join()
        #expect(counts.allSatisfy { $0 == 1 }, "\(counts)")
    }
}

private let received = Atomic<Int>(0)

/// A flag that a thread polls.
private final class Over: Sendable {
    let value = Atomic<Bool>(false)
}

private func disposition() -> sigaction {
    var found = sigaction()
    sigaction(SIGURG, nil, &found)
    return found
}

private func isIgnored(_ action: sigaction) -> Bool {
    // SIG_DFL and SIG_IGN are 0 and 1.
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) <= 1
}

/// A thread that blocks the signal, so that a capture of its stack lasts until its limit.
private final class BlockedThread: Sendable {
    private let thread = Box<ThreadStack.Thread?>(nil)
    private let ending = Latch()
    private let runner: TestThread

    init() {
        let (thread, ending) = (thread, ending)
        runner = TestThread {
            try SignalMask.blocking(SIGURG) {
                thread.value = .current
                try ending.wait()
            }
        }
    }

    /// Captures the stack on another thread.
    func capture() -> TestThread {
        TestThread { [thread] in
            try waitUntil("the blocked thread") { thread.value != nil }
            let stack = try? ThreadStack(of: try #require(thread.value), within: 200_000_000)
            #expect(stack == nil)
        }
    }

    var hasPendingSignal: Bool { SignalMask.isPending(SIGURG, for: thread.value) }

    func end() throws {
        ending.arrive()
        try runner.join()
    }
}
