// SPDX-License-Identifier: MIT
import Glibc

let arguments = Arguments(CommandLine.arguments.dropFirst())
let events = arguments.events

/// The options of the command line.
struct Arguments {
    var isJSON = false
    var rounds = 7
    /// The number of events of a run. A profiler, which is slow, needs fewer.
    var events = 1_000_000
    /// Selects the rows whose name contains this text.
    var only = ""
    /// Selects one library, for a profiler.
    var who: String?
    /// Measures fan-out to 1 ... 10 000 observers instead of the rows.
    var isGrowth = false
    /// Pauses and resumes chains on so many threads instead of measuring the rows. `only` selects the chain.
    var pausingThreads: Int?
    /// The number of values between two pauses.
    var interval = 1

    static let usage =
        "signal-bench [--json] [--rounds N] [--events N] [--only TEXT] [--who ours|OpenCombine] [--growth]\n"
        + "signal-bench --pausing THREADS [--interval N] [--events N] [--only merge]\n"

    init(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--json": isJSON = true
            case "--growth": isGrowth = true
            case "--pausing": pausingThreads = iterator.next().flatMap { Int($0) } ?? 0
            case "--interval": interval = iterator.next().flatMap { Int($0) } ?? 0
            case "--rounds": rounds = iterator.next().flatMap { Int($0) } ?? 0
            case "--events": events = iterator.next().flatMap { Int($0) } ?? 0
            case "--only": only = iterator.next() ?? ""
            case "--who": who = iterator.next()
            default: Arguments.refuse()
            }
        }
        if rounds < 1 || events < 1 || interval < 1 || pausingThreads ?? 1 < 1 { Arguments.refuse() }
    }

    private static func refuse() -> Never {
        _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(64)
    }
}
