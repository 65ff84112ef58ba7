// SPDX-License-Identifier: MIT
import Glibc
import HeapProbe
import ReactiveCommands

/// Runs commands under load, in its own process: the counts must be exact, and memory must stay constant.
///
/// `CommandLoad load <strategy> <work> <executions>` has eight threads execute one command. `CommandLoad cost <form>
/// <times>` repeats one operation, for a profiler.
@main
enum Program {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "load":
            guard arguments.count == 4, let strategy = Strategies.named[arguments[2]],
                let work = LoadWork(rawValue: arguments[3]), let count = Int(arguments[4])
            else { return usage() }
            // The first round pays for one-time allocations.
            _ = Load(strategy, work).run(min(count, 4000))
            let heap = heap_bytes_in_use()
            let faults = Load(strategy, work).run(count)
            let growth = Int(heap_bytes_in_use()) - Int(heap)
            for fault in faults { print(fault) }
            print("heap: \(growth) bytes more")
            if !faults.isEmpty || growth > 512 * 1024 { exit(1) }
        case "cost":
            guard arguments.count == 3, let form = Cost(rawValue: arguments[2]), let count = Int(arguments[3])
            else { return usage() }
            print(form.run(count))
        default: usage()
        }
    }

    private static func usage() {
        print("load \(Strategies.named.keys.sorted()) \(LoadWork.allCases) <executions>; cost \(Cost.allCases) <times>")
    }
}

enum Strategies {
    static let named: [String: CommandStrategy] = [
        "serial": .serial, "concurrent": .concurrent(limit: 3), "unlimited": .concurrent(),
        "queue": .queue(limit: 10), "dropping": .queue(limit: 10, whenFull: .dropOldest),
        "wide": .queue(limit: 10, running: 3), "latest": .latest,
    ]
}
