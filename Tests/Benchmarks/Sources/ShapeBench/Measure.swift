// SPDX-License-Identifier: MIT
/// One line of the table: the same work in both shapes.
struct Case {
    let name: String
    let sinks: () -> Void
    let closures: () -> Void
}

/// Nanoseconds for each event that `body` sends.
func time(_ events: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let elapsed = clock.measure(body).components
    return (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(events)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func column(_ value: Double) -> String {
    let tenths = Int(value * 10 + 0.5)
    let text = "\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
}
