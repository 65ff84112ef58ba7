// SPDX-License-Identifier: MIT
import ReactiveCore

/// Steps that several rules take.
extension Check {
    /// Whether the loop has a capability.
    func has(_ capability: Capability) -> Bool { description.allAbsent[capability] == nil }

    /// Notes a step of this check, and takes it. A hang in the step is reported with its text.
    func step(_ text: String, _ body: () throws -> Void) throws {
        note(text)
        try body()
    }

    /// Occupies a loop that another thread runs, until the returned latch opens.
    func occupy(_ loop: any LoopScheduler, file: StaticString = #fileID, line: Int = #line) throws -> Latch {
        let (isBusy, goOn) = (Latch(file: file, line: line), Latch(file: file, line: line))
        loop.execute {
            isBusy.arrive()
            _ = goOn.wait(self.patience * 3)
        }
        try wait(for: isBusy, "the loop is busy")
        return goOn
    }

    /// Starts a thread that calls `body` once a run of the loop has begun. The caller begins the run.
    func thread(duringRunOf loop: any LoopScheduler, _ body: @escaping @Sendable () -> Void) -> Worker {
        let isRunning = Latch()
        loop.execute { isRunning.arrive() }
        return thread { [self] in
            try wait(for: isRunning, "the loop runs")
            body()
        }
    }

    /// Calls `body` on `count` threads at the same time, with the thread's number, and waits for all of them.
    func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) throws -> Void) {
        let threads = (0..<count).map { number in thread { try body(number) } }
        for thread in threads { thread.join() }
    }

    /// Watches a descriptor until the check ends. Reads in each call, and passes the result to `body`: the number of bytes,
    /// 0 at end of stream, or -1.
    func read(_ descriptor: Int32, on loop: any LoopScheduler, _ body: @escaping @Sendable (Int) -> Void) throws {
        disposeAtEnd(try loop.watch(descriptor, for: .read) { _ in body(Descriptor.take(from: descriptor)) })
    }
}
