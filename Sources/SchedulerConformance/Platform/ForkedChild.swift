// SPDX-License-Identifier: MIT
import Glibc

/// A forked child of this process, without `exec`.
///
/// Safe: the system calls receive local variables and keep no pointer, and the symbol has `fork`'s type.
package struct ForkedChild: Sendable {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let identifier: Int32

    /// Forks. The child runs `body` and exits with its result. `SIGALRM` kills the child after `limit` seconds, before the
    /// parent's own wait ends.
    package init(limit: UInt32 = UInt32(max(1, Latch.limit / 2)), _ body: () -> Int32) {
        let child = Self.fork()
        if child == 0 {
            SignalMask.clear()
            alarm(limit)
            _exit(body())
        }
        if child < 0 { fatalError("fork: \(errno)") }
        identifier = child
    }

    /// Wraps a child that other code has forked.
    package init(adopting identifier: Int32) { self.identifier = identifier }

    /// Calls `fork` by its symbol, because Swift makes the function unavailable.
    package static func fork() -> Int32 {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = unsafe dlsym(nil, "fork") else { fatalError("no fork") }
        return unsafe unsafeBitCast(symbol, to: Fork.self)()
    }

    /// Waits until the child has terminated.
    package func wait() -> End {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    /// Runs `body` in `count` children, one after the other. Returns the number of children that did not exit with 0,
    /// and how the first of these ended.
    package static func failures(among count: Int, _ body: (Int) -> Int32) -> (count: Int, first: End?) {
        var failures = 0
        var first: End?
        for number in 0..<count {
            let end = ForkedChild { body(number) }.wait()
            if end == .exited(0) { continue }
            failures += 1
            first = first ?? end
        }
        return (failures, first)
    }
}
