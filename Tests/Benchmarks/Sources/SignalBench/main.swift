import ReactiveSignals

/// Where the values end, so that none of the work can be left out.
final class Total: @unchecked Sendable {
    @exclusivity(unchecked)
    var sum = 0
}

struct Case {
    let name: String
    let events: Int
    let run: () -> Void
}

/// A case that sends to a subject which `build` has been applied to.
@inline(never)
func hot(_ name: String, _ build: (Signal<Int, Never>) -> Signal<Int, Never>) -> Case {
    let subject = Subject<Int, Never>()
    let total = Total()
    build(subject.signal).subscribe { total.sum &+= $0 }
    return Case(name: name, events: 1_000_000) { for value in 0..<1_000_000 { subject.send(value) } }
}

@inline(never)
func cold(_ name: String, _ signal: Signal<Int, Never>) -> Case {
    let total = Total()
    return Case(name: name, events: 1_000_000) { signal.subscribe { total.sum &+= $0 } }
}

@inline(never)
func fanOut() -> Case {
    let subject = Subject<Int, Never>()
    let total = Total()
    for _ in 0..<100 { subject.signal.subscribe { total.sum &+= $0 } }
    return Case(name: "fan-out to 100, per delivery", events: 1_000_000) {
        for value in 0..<10_000 { subject.send(value) }
    }
}

@inline(never)
func mergeOfFour() -> Case {
    let subjects = (0..<4).map { _ in Subject<Int, Never>() }
    let total = Total()
    Signal.merge(subjects.map(\.signal)).subscribe { total.sum &+= $0 }
    return Case(name: "merge of 4", events: 1_000_000) {
        for value in 0..<1_000_000 { subjects[value & 3].send(value) }
    }
}

@inline(never)
func property() -> Case {
    let property = Property(0)
    let total = Total()
    property.signal.subscribe { total.sum &+= $0 }
    return Case(name: "property -> sink", events: 1_000_000) { for value in 0..<1_000_000 { property.value = value } }
}

@inline(never)
func subscribing() -> Case {
    let subject = Subject<Int, Never>()
    let total = Total()
    return Case(name: "create + subscribe + dispose", events: 100_000) {
        for _ in 0..<100_000 {
            subject.signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.subscribe { total.sum &+= $0 }.dispose()
        }
    }
}

let cases = [
    hot("subject -> sink") { $0 },
    hot("map, filter") { $0.map { $0 &+ 1 }.filter { $0 & 1 == 0 } },
    hot("8 maps") {
        $0.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }
            .map { $0 &+ 5 }.map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }
    },
    hot("scan") { $0.scan(0) { $0 &+ $1 } },
    mergeOfFour(),
    hot("flatMap(just)") { $0.flatMap { .just($0) } },
    hot("observe(on: immediate)") { $0.observe(on: ImmediateScheduler.shared) },
    fanOut(),
    subscribing(),
    property(),
    cold("values -> sink", Signal(values: 0..<1_000_000)),
    cold(
        "emitter -> sink",
        Signal { emitter, _ in
            for value in 0..<1_000_000 { emitter.send(value) }
            emitter.complete()
        }
    ),
]

print("ns an event, median of 7 interleaved runs")
let clock = ContinuousClock()
var times = [[Double]](repeating: [], count: cases.count)
for _ in 0..<7 {
    for (index, one) in cases.enumerated() {
        let elapsed = clock.measure(one.run).components
        times[index].append((Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(one.events))
    }
}
for (index, one) in cases.enumerated() {
    let tenths = Int(times[index].sorted()[3] * 10 + 0.5)
    let text = "\(tenths / 10).\(tenths % 10)"
    print(one.name + String(repeating: " ", count: 40 - one.name.count - text.count) + text)
}
