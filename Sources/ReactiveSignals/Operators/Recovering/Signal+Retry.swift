// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Subscribes again when the signal fails, up to `count` times, then passes the failure on.
    ///
    /// `retry(upTo: 1)` retries once, so the signal runs at most twice (RxSwift counts the first run too). Zero or less
    /// never retries. Without a count, it retries forever. Values do not reset the count: only
    /// ``retry(upTo:backoff:on:)`` counts failures in a row. Values that were sent before a failure have already
    /// reached the subscriber. A run starts when all teardowns of the previous one have returned, on any thread. A
    /// failure that is passed on does not wait for them.
    ///
    /// The stack does not grow with the number of retries ([law 8](doc:LawsOfSignals)). A signal that always fails
    /// immediately occupies its thread until the subscription is disposed. During a pause, a failure waits behind the
    /// values that the source buffers, so the retry waits too.
    @inlinable
    public func retry(upTo count: Int = .max) -> Signal {
        retry(upTo: count) { .start($0) }
    }

    /// Subscribes again `interval` after each failure, up to `count` times, on `scheduler`. Then passes the failure on.
    ///
    /// Values do not reset the count. Zero or less for `count` never retries. A negative `interval` counts as zero.
    /// Disposing the subscription cancels the timer.
    @inlinable
    public func retry(upTo count: Int = .max, after interval: Duration, on scheduler: any TimedScheduler) -> Signal {
        retry(upTo: count) { .wait(interval, scheduler, $0) }
    }

    /// Subscribes again after each failure and a growing delay, up to `count` times in a row, on `scheduler`.
    ///
    /// Each value that this signal sends resets the count and the delay, unlike with ``retry(upTo:)`` and
    /// ``retry(upTo:after:on:)``. So a signal that sends a value before each failure is retried forever. The failure
    /// after `count` retries without a value is passed on. Zero or less never retries. Disposing the subscription
    /// cancels the timer.
    @inlinable
    public func retry(upTo count: Int = .max, backoff: Backoff, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            let tries = Cell(0)
            let counted = UnsafeTransfer(tries)
            let source = handleEvents(onValue: { _ in counted.value.value = 0 })
            let succession = Succession<Value, Failure>(sink, subscription, .inOrder) { termination in
                guard case .failed = termination, tries.value < count else { return nil }
                let delay = backoff.delay(before: tries.value, random: Backoff.randomNumber())
                tries.value += 1
                return .wait(delay, scheduler, source)
            }
            succession.start(source)
        })
    }

    /// Subscribes again when the signal completes, until it has run `times` times. The default repeats forever.
    ///
    /// Zero or less completes without subscribing. A failure is passed on immediately. The stack does not grow with the
    /// number of runs ([law 8](doc:LawsOfSignals)). A signal that always completes immediately occupies its thread
    /// until the subscription is disposed.
    @inlinable
    public func `repeat`(times: Int = .max) -> Signal {
        guard times > 0 else { return .empty }
        return Signal(start: { sink, subscription in
            let runs = Cell(1)
            let succession = Succession<Value, Failure>(sink, subscription, .asItIs) { termination in
                guard case .completed = termination, runs.value < times else { return nil }
                if times < .max { runs.value += 1 }
                return .start(self)
            }
            succession.start(self)
        })
    }

    @inlinable
    func retry(
        upTo count: Int,
        _ step: @escaping @Sendable (Signal) -> Succession<Value, Failure>.Step
    ) -> Signal {
        Signal(start: { sink, subscription in
            let tries = Cell(0)
            let succession = Succession<Value, Failure>(sink, subscription, .inOrder) { termination in
                guard case .failed = termination, tries.value < count else { return nil }
                if count < .max { tries.value += 1 }
                return step(self)
            }
            succession.start(self)
        })
    }
}
