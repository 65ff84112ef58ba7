import Glibc

/// A child that a fork has made of this process, without `exec`.
package struct ForkedChild {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package let identifier: Int32

    /// Forks. The child runs `body`, ends with its result, and is killed by `SIGALRM` after `limit` seconds.
    ///
    /// Swift does not let `fork` be called by its name, since so little may be done after it.
    package init(limit: UInt32 = 60, _ body: () -> Int32) {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { fatalError("no fork") }
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            SignalMask.clear()
            alarm(limit)
            _exit(body())
        }
        precondition(child > 0, "fork: \(errno)")
        identifier = child
    }

    /// Waits for its end.
    package func wait() -> End {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    /// Runs `body` in `count` children, one after the other; how many of them ended otherwise than with 0, and how the first of those did.
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

extension ForkedChild {
    /// A child that somebody else has forked.
    package init(adopting identifier: Int32) { self.identifier = identifier }
}
