// SPDX-License-Identifier: MIT
import AllocationCount
import Glibc
import OpenCombine
import ReactiveSignals

// If the counter did not replace malloc, it would count nothing, and every row would pass.
allocation_count_start()
let probe = (0..<100).map { [$0] }
precondition(allocation_count_stop() >= 100 && probe.count == 100, "malloc is not counted")

if let threads = arguments.pausingThreads {
    pauseChains(onThreads: threads)
    exit(0)
}

let rows: [() throws -> Row] =
    if arguments.isGrowth {
        [1, 10, 100, 1000, 10_000].map { count in { fanOut(to: count, nil) } }
    } else {
        [
            { cold("source to sink", .ratio(0.10), { $0 }, { $0 }) },
            { hot("source to sink", .ratio(0.40), { $0 }, { $0 }) },
            { cold("map, filter", .ratio(0.15), { mapAndFilter($0) }, { mapAndFilter($0) }) },
            { hot("map, filter", .ratio(0.40), { mapAndFilter($0) }, { mapAndFilter($0) }) },
            { cold("8 maps", .ratio(0.15), { eightMaps($0) }, { eightMaps($0) }) },
            { hot("8 maps", .ratio(0.15), { eightMaps($0) }, { eightMaps($0) }) },
            { cold("scan", .ratio(0.30), { scanned($0) }, { scanned($0) }) },
            { hot("scan", .ratio(0.30), { scanned($0) }, { scanned($0) }) },
            { mergeOfFour() },
            { combineLatestOfTwo() },
            { cold("flatMap of one value", .ratio(0.30), { flatMapped($0) }, { flatMapped($0) }) },
            { hot("flatMap of one value", .ratio(0.30), { flatMapped($0) }, { flatMapped($0) }) },
            { fanOut(to: 100, .ratio(0.15)) },
            { subscribingToSequence() },
            { subscribing() },
            { try hop() },
        ]
    }

if !arguments.isJSON { heading() }
for make in rows {
    var row = try make()
    guard row.name.contains(arguments.only) else { continue }
    if let who = arguments.who { row.sides.removeAll { $0.who != who } }
    let results = measure(row, rounds: arguments.rounds)
    if arguments.isJSON { json(row, results) } else { table(row, results) }
    fflush(nil)
}
