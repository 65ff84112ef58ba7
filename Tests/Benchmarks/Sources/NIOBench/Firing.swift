// SPDX-License-Identifier: MIT
import Measure
import NIOCore
import NIOPosix

/// A callback that records how late it fires.
///
/// Why `@unchecked Sendable` is correct: only the loop creates, calls and releases it.
private final class Late: NIOScheduledCallbackHandler, @unchecked Sendable {
    private let due: UInt64
    private let book: Book

    init(_ due: UInt64, _ book: Book) {
        self.due = due
        self.book = book
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        book.add(Int64(NIODeadline.now().uptimeNanoseconds) - Int64(due))
    }
}

/// The recorded delays. Only the loop uses them.
private final class Book {
    var late: [Int64] = []
    private let count: Int
    private let done: Finish

    init(_ count: Int, _ done: Finish) {
        self.count = count
        self.done = done
        late.reserveCapacity(count)
    }

    func add(_ value: Int64) {
        late.append(value)
        if late.count == count { done.signal() }
    }
}

/// `--count` timers at random instants within a second.
func measureFiring(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 100_000)
    let done = Finish()
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let meter = Meter()
    let book = try loop.submit {
        let book = Book(count, done)
        var random = RandomSequence()
        for _ in 0..<count {
            let due = NIODeadline.now() + .microseconds(Int64(random.next() % 1_000_000))
            _ = try loop.scheduleCallback(at: due, handler: Late(due.uptimeNanoseconds, book))
        }
        return NIOLoopBound(book, eventLoop: loop)
    }.wait()
    done.wait()
    var sample = meter.sample("fire \(count)", "nio", events: count)
    let lateness = try loop.submit { Distribution(book.value.late) }.wait()
    sample.others = [
        ("late_min_us", lateness.quantile(0) / 1000), ("late_p50_us", lateness.quantile(0.5) / 1000),
        ("late_p99_us", lateness.quantile(0.99) / 1000), ("late_max_us", lateness.quantile(1) / 1000),
    ]
    sample.report()
    finish()
}
