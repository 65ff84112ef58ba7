import Measure
import NIOCore
import NIOPosix

/// The form without a promise and a closure: the faster of SwiftNIO's two.
private final class Silent: NIOScheduledCallbackHandler, Sendable {
    func handleScheduledCallback(eventLoop: some EventLoop) {}
    func didCancelScheduledCallback(eventLoop: some EventLoop) {}
}

/// Setting `--count` timers and cancelling some of them: each cancelling walks through all there are.
func measureTimers(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 1_000_000)
    let cancelled = min(count, max(300, 300_000_000 / count))
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    try loop.submit {
        var random = RandomSequence()
        var callbacks: [NIOScheduledCallback] = []
        callbacks.reserveCapacity(count)
        let (handler, start, before) = (Silent(), NIODeadline.now(), Machine.liveBytes)
        var inserted = try timed("insert \(count) cold", count) {
            for _ in 0..<count {
                let delay = TimeAmount.microseconds(Int64(1_000_000 + random.next() % 99_000_000))
                callbacks.append(try loop.scheduleCallback(at: start + delay, handler: handler))
            }
        }
        inserted.others = [("bytes", Double(Machine.liveBytes - before) / Double(count))]
        inserted.report()
        // Enough of the million to know: it takes two thirds of a millisecond each.
        try timed("cancel \(count) cold", min(cancelled, 10_000)) {
            for callback in callbacks.prefix(min(cancelled, 10_000)) { callback.cancel() }
        }.report()
    }.wait()
    finish()
}

private func timed(_ row: String, _ events: Int, _ body: () throws -> Void) throws -> Sample {
    let meter = Meter()
    try body()
    return meter.sample(row, "nio", events: events)
}
