import Glibc
import LoopTestSupport
import TracePrograms

/// `traces [--seed N] [--count N] [--show]`: random programs on every loop; fails at the first that is not the same on all.
@main
enum TraceCommand {
    static func main() throws {
        var seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var count = 2000
        var mustShow = false
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            switch option {
            case "--show": mustShow = true
            case "--seed", "--count":
                guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else {
                    refuse("\(option) needs a number")
                }
                if option == "--seed" { seed = number } else { count = Int(clamping: number) }
            default: refuse("unknown option \(option)")
            }
        }
        let comparison = Comparison()
        if mustShow { return try show(seed, comparison) }
        let names = TraceLoop.allCases.map(\.rawValue).joined(separator: ", ")
        print("\(count) programs from seed \(seed) on \(names)")
        let found = try comparison.check(seed: seed, count: count) { number in
            if number % 1000 == 0 {
                print("\(number) the same")
                fflush(nil)
            }
        }
        guard let found else { return print("the same trace everywhere") }
        print("seed \(found.seed): \(found.difference)")
        print("\nagain: make traces SEED=\(found.seed) COUNT=1")
        exit(1)
    }

    /// One program and what it does.
    private static func show(_ seed: UInt64, _ comparison: Comparison) throws {
        var generator = ProgramGenerator(seed: seed)
        let program = generator.program()
        print(program, terminator: "\n\n")
        for entry in try comparison.trace(of: program, on: .reference).entries { print(entry) }
    }

    private static func refuse(_ why: String) -> Never {
        let message = "traces: \(why)\nusage: traces [--seed N] [--count N] [--show]\n"
        _ = write(STDERR_FILENO, message, message.utf8.count)
        exit(64)
    }
}
