public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Subscribes anew when the signal fails, up to `count` times; the failure after that is passed on.
    ///
    /// `retry(upTo: 1)` makes one new try, two in all; zero and less none (RxSwift counts tries, not new ones). Without a count
    /// it never gives up. Values sent before a failure have been sent. The stack does not grow with the tries (law 8): a
    /// signal that fails at once for ever occupies its thread for ever, until the subscription is disposed.
    @inlinable
    public func retry(upTo count: Int = .max) -> Signal {
        retry(upTo: count) { .start($0) }
    }

    /// Subscribes anew `interval` after each failure, up to `count` times.
    @inlinable
    public func retry(upTo count: Int = .max, after interval: Duration, on scheduler: any TimedScheduler) -> Signal {
        retry(upTo: count) { .wait(interval, scheduler, $0) }
    }

    /// Subscribes anew after a failure and a wait that grows from try to try, up to `count` times.
    ///
    /// The tries are counted from the last value: a signal that has sent one has worked, and starts with the first wait
    /// again. The failure that comes after `count` tries in a row is passed on.
    @inlinable
    public func retry(upTo count: Int = .max, backoff: Backoff, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            let tries = Cell(0)
            let counted = UnsafeTransfer(tries)
            let source = handleEvents(onValue: { _ in counted.value.value = 0 })
            let succession = Succession<Value, Failure, Failure>(sink, subscription, .inOrder) { termination in
                guard case .failed = termination, tries.value < count else { return .end(termination) }
                let delay = backoff.delay(before: tries.value, random: .random(in: 0...1))
                tries.value += 1
                return .wait(delay, scheduler, source)
            }
            succession.start(source)
        })
    }

    /// Subscribes anew when the signal completes, until it has been run `times` times; without a number for ever.
    ///
    /// Zero and less: completes without subscribing. A failure ends it at once.
    @inlinable
    public func `repeat`(times: Int = .max) -> Signal {
        guard times > 0 else { return .empty }
        return Signal(start: { sink, subscription in
            let runs = Cell(1)
            let succession = Succession<Value, Failure, Failure>(sink, subscription, .asItIs) { termination in
                guard case .completed = termination, runs.value < times else { return .end(termination) }
                if times < .max { runs.value += 1 }
                return .start(self)
            }
            succession.start(self)
        })
    }

    @inlinable
    func retry(
        upTo count: Int,
        _ step: @escaping @Sendable (Signal) -> Succession<Value, Failure, Failure>.Step
    ) -> Signal {
        Signal(start: { sink, subscription in
            let tries = Cell(0)
            let succession = Succession<Value, Failure, Failure>(sink, subscription, .inOrder) { termination in
                guard case .failed = termination, tries.value < count else { return .end(termination) }
                if count < .max { tries.value += 1 }
                return step(self)
            }
            succession.start(self)
        })
    }
}
