import Glibc
import LoopTestSupport
import ReactiveCore
import TracePrograms

/// `traces [--seed N] [--count N] [--races N] [--processes N [--forks]] [--show]`: random programs on every loop; fails at the first that is not
/// the same on all. Then races of several threads on each real loop; fails at the first callback that comes too late. Then random
/// programs of threads, each in a process of its own; a tenth as many as programs, unless said otherwise. With `--forks` they fork, too.
@main
enum TraceCommand {
    static func main() throws {
        SignalMask.clear()
        var seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var (count, races) = (2000, 300)
        var mustShow = false
        var processes: Int?
        var forks = false
        var arguments = CommandLine.arguments.dropFirst()
        while let option = arguments.popFirst() {
            switch option {
            case "--show": mustShow = true
            case "--forks": forks = true
            // This program as a process that one of those programs runs in.
            case "--process":
                ProcessProgram(seed: arguments.last.flatMap { UInt64($0) } ?? 0, forks: forks).run()
            case "--seed", "--count", "--races", "--processes":
                guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else {
                    refuse("\(option) needs a number")
                }
                switch option {
                case "--seed": seed = number
                case "--count": count = Int(clamping: number)
                case "--races": races = Int(clamping: number)
                default: processes = Int(clamping: number)
                }
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
        guard let found else {
            print("the same trace everywhere")
            try race(seed, races)
            return runProcesses(processes ?? count / 10, seed, forks)
        }
        print("seed \(found.seed): \(found.difference)")
        print("\nagain: make traces SEED=\(found.seed) COUNT=1")
        exit(1)
    }

    /// Races on every loop; what goes wrong depends on the threads, so a seed need not repeat it.
    private static func race(_ seed: UInt64, _ count: Int) throws {
        for kind in LoopKind.all {
            for number in 0..<UInt64(max(0, count)) {
                let own = seed &+ number
                let failure = try Race.failure(on: kind, seed: own, signal: ProcessSignal(rawValue: 62))
                guard let failure else { continue }
                print("race \(own) on \(kind.rawValue): \(failure)")
                print("\nagain: make traces COUNT=0 SEED=\(own) RACES=100")
                exit(1)
            }
            print("\(count) races on \(kind.rawValue): no callback came too late")
        }
    }

    private static func runProcesses(_ count: Int, _ seed: UInt64, _ forks: Bool) {
        print("\(count) programs of threads\(forks ? " and forks" : "") from seed \(seed)")
        fflush(nil)
        for number in 0..<UInt64(count) {
            let end = OwnProgram.run((forks ? ["--forks"] : []) + ["--process", "\(seed &+ number)"])
            guard let complaint = ProcessOutcome.complaint(end) else { continue }
            print("seed \(seed &+ number): \(complaint)\n\n\(ProcessProgram(seed: seed &+ number, forks: forks))")
            let again = "traces --seed \(seed &+ number) --count 0 --races 0 --processes 1\(forks ? " --forks" : "")"
            print("\nagain, though not the same each time: \(again)")
            exit(1)
        }
        print("all ended as they should")
    }

    /// One program and what it does.
    private static func show(_ seed: UInt64, _ comparison: Comparison) throws {
        var generator = ProgramGenerator(seed: seed)
        let program = generator.program()
        print(program, terminator: "\n\n")
        for entry in try comparison.trace(of: program, on: .reference).entries { print(entry) }
    }

    private static func refuse(_ why: String) -> Never {
        let options = "[--seed N] [--count N] [--races N] [--processes N [--forks]] [--show]"
        let message = "traces: \(why)\nusage: traces \(options)\n"
        _ = write(STDERR_FILENO, message, message.utf8.count)
        exit(64)
    }
}
