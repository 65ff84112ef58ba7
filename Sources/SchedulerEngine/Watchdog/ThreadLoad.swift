// SPDX-License-Identifier: MIT
import ReactiveSupport

/// What the kernel has recorded about a thread: whether it runs, and how long it has waited for a processor.
struct ThreadLoad: Equatable {
    /// The processor time, in nanoseconds. The kernel updates it every few milliseconds.
    var used: Int64
    /// The time for which the thread could have run but waited for a processor, in nanoseconds. A wait that has not
    /// ended is not included.
    var delay: Int64
    /// Whether the thread runs, or waits for a processor. False if it sleeps.
    var isRunnable: Bool
}

extension ThreadLoad {
    /// Reads the records of a thread of this process (proc(5)). The result is nil if the kernel has none.
    init?(of thread: Int32) {
        guard let statistics = ProcFS.text(of: "/proc/self/task/\(thread)/schedstat"),
            let status = ProcFS.text(of: "/proc/self/task/\(thread)/stat")
        else { return nil }
        self.init(statistics: statistics, status: status)
    }

    /// Reads the texts of the two files.
    init?(statistics: String, status: String) {
        let numbers = statistics.split(whereSeparator: \.isWhitespace).map { Int64($0) }
        // The name of the thread is in parentheses, and may contain any character.
        guard numbers.count >= 2, let used = numbers[0], let delay = numbers[1],
            let name = status.lastIndex(of: ")"),
            let state = status[name...].dropFirst().first(where: { !$0.isWhitespace })
        else { return nil }
        self.init(used: used, delay: delay, isRunnable: state == "R")
    }
}
