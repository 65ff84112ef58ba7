// SPDX-License-Identifier: MIT
import Glibc
package import SchedulerConformance

/// Runs this program again in child processes, in which nothing has been used yet.
///
/// They are not forks: libdispatch remembers the number of the thread that forked, and traps when that thread's first
/// lock is contended.
package enum OwnProgram {
    /// Runs the program `count` times with `arguments` and the number of the run. Returns how many runs failed, and
    /// how the first of them ended.
    package static func failures(among count: Int, _ arguments: String...) -> (count: Int, first: ForkedChild.End?) {
        var failures = 0
        var first: ForkedChild.End?
        for number in 0..<count {
            let end = run(arguments + ["\(number)"])
            if end == .exited(0) { continue }
            failures += 1
            first = first ?? end
        }
        return (failures, first)
    }

    package static func run(_ arguments: [String]) -> ForkedChild.End {
        var texts = ([CommandLine.arguments[0]] + arguments).map { strdup($0) }
        texts.append(nil)
        defer { for text in texts { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, "/proc/self/exe", nil, nil, texts, environ)
        precondition(code == 0, "posix_spawn: \(code)")
        return ForkedChild(adopting: identifier).wait()
    }
}
