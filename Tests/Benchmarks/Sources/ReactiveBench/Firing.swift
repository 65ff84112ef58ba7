// SPDX-License-Identifier: MIT
import LoopName
import Measure
import ReactiveCore

/// `--count` timers at random instants within a second, with a leeway of `--leeway` microseconds, and repeating
/// timers.
func measureFiring(_ arguments: Arguments) throws {
    let name = LoopName(arguments)
    let count = arguments.number("count", default: 100_000)
    let leeway = arguments.number("leeway", default: 0)
    if arguments.wants("fire") { try fire(name, count, .microseconds(Int64(leeway))) }
    if arguments.wants("repeat") { try repeatTimers(name) }
}

private func fire(_ name: LoopName, _ count: Int, _ leeway: Duration) throws {
    let loop = name.main
    let late = Box([Int64]())
    late.value.reserveCapacity(count)
    let meter = Meter()
    loop.execute {
        var random = RandomSequence()
        let options = TimerOptions(leeway: leeway)
        for _ in 0..<count {
            let due = loop.now.nanoseconds + Int64(random.next() % 1_000_000) * 1000
            _ = loop.schedule(at: LoopInstant(nanoseconds: due), options: options) {
                late.value.append(loop.now.nanoseconds - due)
                if late.value.count == count { loop.stop() }
            }
        }
    }
    try loop.run()
    var sample = meter.sample("fire \(count) leeway \(leeway)", name.rawValue, events: count)
    let lateness = Distribution(late.value)
    sample.others = [
        ("late_min_us", lateness.quantile(0) / 1000), ("late_p50_us", lateness.quantile(0.5) / 1000),
        ("late_p99_us", lateness.quantile(0.99) / 1000), ("late_max_us", lateness.quantile(1) / 1000),
    ]
    sample.report()
}

/// A thousand timers that fire every millisecond, until they have fired a million times.
private func repeatTimers(_ name: LoopName) throws {
    let loop = name.main
    let fired = Counter()
    let start = loop.now + .milliseconds(5)
    var timers: [any Disposable] = []
    for _ in 0..<1000 {
        timers.append(
            loop.schedule(at: start, repeating: .fixedRate(.milliseconds(1)), options: TimerOptions()) {
                let count = fired.add()
                if count == 10_000 || count == 1_010_000 { loop.stop() }
            }
        )
    }
    try loop.run()
    let meter = Meter()
    try loop.run()
    meter.sample("repeat", name.rawValue, events: fired.value - 10_000).report()
    for timer in timers { timer.dispose() }
}
