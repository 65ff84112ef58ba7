// SPDX-License-Identifier: MIT
import Glibc

/// The options of the command line.
struct Options {
    /// The action for `seed`.
    enum Task { case check, show, runProcess }

    var task = Task.check
    var seed = UInt64.random(in: 0...UInt64(UInt32.max))
    /// The numbers of programs in virtual time, of races on each loop, and of programs of threads.
    var count = 2000
    var races = 300
    var processes: Int?
    /// How often each program of threads runs.
    var repeats = 1
    /// How many programs of threads run at the same time.
    var jobs = 2
    /// How long to continue with further seeds. Zero means one pass.
    var minutes = 0
    var hasForks = false

    static let usage = """
        [--seed N] [--count N] [--races N] [--processes N [--repeat N] [--jobs N] [--forks]] [--minutes N] [--show]
        """

    init(_ arguments: some Sequence<String>) {
        var arguments = ArraySlice(arguments)
        while let option = arguments.popFirst() {
            switch option {
            case "--show": task = .show
            case "--forks": hasForks = true
            // Runs one program of threads in this process.
            case "--process":
                task = .runProcess
                seed = Self.number(option, &arguments)
            case "--seed": seed = Self.number(option, &arguments)
            case "--count": count = Int(clamping: Self.number(option, &arguments))
            case "--races": races = Int(clamping: Self.number(option, &arguments))
            case "--processes": processes = Int(clamping: Self.number(option, &arguments))
            case "--repeat": repeats = max(1, Int(clamping: Self.number(option, &arguments)))
            case "--jobs": jobs = max(1, Int(clamping: Self.number(option, &arguments)))
            case "--minutes": minutes = Int(clamping: Self.number(option, &arguments))
            default: Self.refuse("unknown option \(option)")
            }
        }
    }

    private static func number(_ option: String, _ arguments: inout ArraySlice<String>) -> UInt64 {
        guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else { refuse("\(option) needs a number") }
        return number
    }

    private static func refuse(_ why: String) -> Never {
        let message = "traces: \(why)\nusage: traces \(usage)\n"
        _ = write(STDERR_FILENO, message, message.utf8.count)
        exit(64)
    }
}
