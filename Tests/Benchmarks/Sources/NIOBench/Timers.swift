// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOPosix

/// SwiftNIO's faster form of a timer, without a promise and a closure.
private final class Silent: NIOScheduledCallbackHandler, Sendable {
    func handleScheduledCallback(eventLoop: some EventLoop) {}
    func didCancelScheduledCallback(eventLoop: some EventLoop) {}
}

/// Sets `--count` timers and cancels some of them. Each cancellation searches all timers.
func measureTimers(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 1_000_000)
    let cancelled = min(count, max(300, 300_000_000 / count))
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    try loop.submit {
        var random = RandomSequence()
        var callbacks: [NIOScheduledCallback] = []
        callbacks.reserveCapacity(count)
        let (handler, start, before) = (Silent(), NIODeadline.now(), Platform.liveBytes)
        var inserted = try timed("insert \(count) cold", count) {
            for _ in 0..<count {
                let delay = TimeAmount.microseconds(Int64(1_000_000 + random.next() % 99_000_000))
                callbacks.append(try loop.scheduleCallback(at: start + delay, handler: handler))
            }
        }
        inserted.others = [("bytes", Double(Platform.liveBytes - before) / Double(count))]
        inserted.report()
        // A part of the million is enough, because each cancellation takes two thirds of a millisecond.
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
