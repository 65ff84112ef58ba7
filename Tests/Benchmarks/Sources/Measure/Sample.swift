// SPDX-License-Identifier: MIT
internal import CMeasure

/// The result of one measurement: the line that the driver reads.
public struct Sample {
    /// The row of the table.
    public var row: String
    /// The library that was measured.
    public var who: String
    /// The number of events that the figures are divided by.
    public var events: Int
    /// Wall-clock time for each event.
    public var nanoseconds: Double
    /// CPU time of the process for each event, user and system.
    public var cpuNanoseconds: Double
    /// Calls of malloc for each event, if the counter is loaded.
    public var allocations: Double?
    /// Further named figures, which are not divided.
    public var others: [(name: String, value: Double)] = []

    /// Prints the sample as one JSON object on one line.
    public func report() {
        var fields = [
            "\"row\": \"\(row)\"", "\"who\": \"\(who)\"", "\"ns\": \(rounded(nanoseconds))",
            "\"cpu_ns\": \(rounded(cpuNanoseconds))",
        ]
        if let allocations { fields.append("\"allocations\": \(rounded(allocations))") }
        for other in others { fields.append("\"\(other.name)\": \(rounded(other.value))") }
        fields.append("\"n\": \(events)")
        printLine("{" + fields.joined(separator: ", ") + "}")
    }

    private func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

/// The clocks and counters at one moment.
public struct Meter {
    private let wall = measure_now()
    private let cpu = measure_cpu()
    private let calls = measure_allocations()

    /// Reads the clocks and counters.
    public init() {}

    /// Returns the differences since then, divided by `events`.
    public func sample(_ row: String, _ who: String, events: Int) -> Sample {
        let (wall, cpu, calls) = (measure_now() - wall, measure_cpu() - cpu, measure_allocations())
        let count = Double(events)
        return Sample(
            row: row,
            who: who,
            events: events,
            nanoseconds: Double(wall) / count,
            cpuNanoseconds: Double(cpu) / count,
            allocations: calls == .max ? nil : Double(calls - self.calls) / count
        )
    }
}

/// Runs `body`, which processes `events` events, and returns the cost of each. Under callgrind its instructions are
/// counted.
@inline(never)
public func measure(_ row: String, _ who: String, events: Int, _ body: () -> Void) -> Sample {
    measure_begin_instructions()
    let meter = Meter()
    body()
    let sample = meter.sample(row, who, events: events)
    // The driver divides by the number of events.
    measure_end_instructions("\(row)|\(who)|\(events)")
    return sample
}
