// SPDX-License-Identifier: MIT
import SignalShapes

/// Consumes the values, so that the compiler cannot remove the work.
final class Total: @unchecked Sendable {
    @exclusivity(unchecked)
    var sum = 0
}

let events = 2_000_000
let total = Total()

@inline(never)
func sinks(_ build: (SinkStream<Int>) -> SinkStream<Int>) -> () -> Void {
    let subject = SinkSubject<Int>()
    let total = total
    build(subject.stream).subscribe { total.sum &+= $0 }
    return { for value in 0..<2_000_000 { subject.send(value) } }
}

@inline(never)
func closures(_ build: (ClosureStream<Int>) -> ClosureStream<Int>) -> () -> Void {
    let subject = ClosureSubject<Int>()
    let total = total
    build(subject.stream).subscribe { total.sum &+= $0 }
    return { for value in 0..<2_000_000 { subject.send(value) } }
}

let cases = [
    Case(name: "subject -> sink", sinks: sinks { $0 }, closures: closures { $0 }),
    Case(
        name: "map, filter",
        sinks: sinks { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 } },
        closures: closures { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 } }
    ),
    Case(
        name: "8 maps, written as one chain",
        sinks: sinks {
            $0.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }
                .map { $0 &+ 5 }.map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }
        },
        closures: closures {
            $0.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }
                .map { $0 &+ 5 }.map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }
        }
    ),
    Case(
        name: "8 maps, added in a loop",
        sinks: sinks { (1...8).reduce($0) { stream, step in stream.map { $0 &+ step } } },
        closures: closures { (1...8).reduce($0) { stream, step in stream.map { $0 &+ step } } }
    ),
    Case(
        name: "scan",
        sinks: sinks { $0.scan(0) { $0 &+ $1 } },
        closures: closures { $0.scan(0) { $0 &+ $1 } }
    ),
]

print("ns an event, median of 7 interleaved runs of \(events) events")
print("                                  class sinks  closures")
for one in cases {
    var sinkTimes: [Double] = []
    var closureTimes: [Double] = []
    for _ in 0..<7 {
        sinkTimes.append(time(events, one.sinks))
        closureTimes.append(time(events, one.closures))
    }
    let name = one.name + String(repeating: " ", count: 34 - one.name.count)
    print(name + column(median(sinkTimes)) + column(median(closureTimes)))
}
print("checksum \(total.sum)")
