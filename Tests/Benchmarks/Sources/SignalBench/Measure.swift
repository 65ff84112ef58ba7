// SPDX-License-Identifier: MIT
import AllocationCount
import CMeasure
import Glibc

/// The cost of an event in one library.
struct Measurement {
    let who: String
    /// One value for each round.
    var nanoseconds: [Double] = []
    var cpuNanoseconds: [Double] = []
    var allocations = 0.0
}

func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Runs the libraries alternately, after one run to warm up and one run that counts allocations.
func measure(_ row: Row, rounds: Int) -> [Measurement] {
    var results = row.sides.map { Measurement(who: $0.who) }
    var sums = row.sides.map { _ in [Int]() }
    for (index, side) in row.sides.enumerated() {
        sums[index].append(side.run())
        // Under callgrind, only the instructions of this run are counted.
        measure_begin_instructions()
        allocation_count_start()
        sums[index].append(side.run())
        results[index].allocations = Double(allocation_count_stop()) / Double(row.events)
        measure_end_instructions("\(row.name)|\(side.who)|\(row.events)")
    }
    for _ in 0..<rounds {
        for (index, side) in row.sides.enumerated() {
            let (start, cpuStart) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
            sums[index].append(side.run())
            results[index].nanoseconds.append((seconds(CLOCK_MONOTONIC) - start) * 1e9 / Double(row.events))
            results[index].cpuNanoseconds.append(
                (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart) * 1e9 / Double(row.events)
            )
        }
    }
    precondition(sums.allSatisfy { $0 == sums.first }, "\(row.name): the sides do not do the same")
    return results
}
