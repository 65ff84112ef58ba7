import AllocationCount
import CMeasure
import Glibc

/// What one side of a row took, an event.
struct Measurement {
    let who: String
    /// One for each round.
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

/// Runs the sides in turn, after one run each to warm up, and one in which allocations are counted.
func measure(_ row: Row, rounds: Int) -> [Measurement] {
    var results = row.sides.map { Measurement(who: $0.who) }
    var sums = row.sides.map { _ in [Int]() }
    for (index, side) in row.sides.enumerated() {
        sums[index].append(side.run())
        // Under callgrind this run is the one whose instructions count.
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
