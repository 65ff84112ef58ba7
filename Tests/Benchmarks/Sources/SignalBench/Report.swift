// SPDX-License-Identifier: MIT
/// Prints one machine-readable line for each library.
func json(_ row: Row, _ results: [Measurement]) {
    for result in results {
        print(
            "{\"row\": \"\(row.name)\", \"who\": \"\(result.who)\", \"ns\": \(digits(median(result.nanoseconds), 2)),"
                + " \"cpu_ns\": \(digits(median(result.cpuNanoseconds), 2)),"
                + " \"ns_min\": \(digits(result.nanoseconds.min() ?? 0, 2)),"
                + " \"ns_max\": \(digits(result.nanoseconds.max() ?? 0, 2)),"
                + " \"allocations\": \(digits(result.allocations, 4)), \"n\": \(row.events)"
                + "\(limit(row.limit))}"
        )
    }
}

private func limit(_ limit: Limit?) -> String {
    switch limit {
    case .ratio(let ratio): ", \"limit_ratio\": \(ratio)"
    case .nanoseconds(let nanoseconds): ", \"limit_ns\": \(nanoseconds)"
    case nil: ""
    }
}

func heading() {
    print(line("ns an event", ["ours", "cpu", "mallocs", "OpenComb.", "cpu", "mallocs", "ratio", "limit", ""]))
}

/// Prints one line of the table.
func table(_ row: Row, _ results: [Measurement]) {
    let (ours, theirs) = (results.first, results.dropFirst().first)
    let own = ours.map { median($0.nanoseconds) } ?? 0
    let ratio = theirs.map { own / median($0.nanoseconds) }
    let (limit, isMet): (String, Bool?) =
        switch row.limit {
        case .ratio(let most): (digits(most, 2), ratio.map { $0 <= most })
        case .nanoseconds(let most): ("\(digits(most, 0)) ns", own <= most)
        case nil: ("", nil)
        }
    print(
        line(
            row.name,
            columns(ours) + columns(theirs)
                + [ratio.map { digits($0, 3) } ?? "", limit, isMet.map { $0 ? "met" : "MISSED" } ?? ""]
        )
    )
}

private func columns(_ result: Measurement?) -> [String] {
    guard let result else { return ["", "", ""] }
    return [
        digits(median(result.nanoseconds), 1), digits(median(result.cpuNanoseconds), 1), digits(result.allocations, 2),
    ]
}

private func line(_ name: String, _ columns: [String]) -> String {
    let padded = columns.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
    return name + String(repeating: " ", count: max(1, 38 - name.count)) + padded.joined()
}

private func digits(_ value: Double, _ count: Int) -> String {
    let scale = (0..<count).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    if count == 0 { return "\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(scaled / scale)." + String(repeating: "0", count: count - fraction.count) + fraction
}
