// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal where Value == Int {
    /// Creates a signal that sends 0, 1, 2 and so on, one number per `interval`, on `scheduler`. It never terminates.
    ///
    /// The first number is sent `first` after the subscription, by default one interval. Each subscription has its own
    /// timer, without drift. A number that is due during a pause is dropped.
    ///
    /// - Parameters:
    ///   - interval: The time between two numbers. Zero or less sends a number in each turn of the loop.
    ///   - first: The time between the subscription and the first number. With zero or less it is sent in the next turn
    ///     of the loop. `nil` means `interval`.
    ///   - scheduler: The scheduler that sends the numbers. After its disposal nothing is sent.
    ///   - leeway: How much later than its deadline a number may be sent, so that the loop can combine timers.
    @inlinable
    public static func interval(
        _ interval: Duration,
        startingAfter first: Duration? = nil,
        on scheduler: any TimedScheduler,
        leeway: Duration = .zero
    ) -> Signal {
        Signal(start: { sink, subscription in
            guard !subscription.isDisposed else { return }
            let (sink, last) = (UnsafeTransfer(subscription.restoring(sink)), UnsafeTransfer(Cell(-1)))
            let timer = scheduler.schedule(
                at: scheduler.now + max(.zero, first ?? interval),
                repeating: .fixedRate(interval),
                options: TimerOptions(leeway: leeway)
            ) {
                let number = last.value.value &+ 1
                last.value.value = number
                if subscription.acceptsValues { sink.value.receive(number) }
            }
            subscription.onDispose { timer.dispose() }
        })
    }
}

extension Signal where Value == Void {
    /// Creates a signal that sends one value `delay` after the subscription, and completes. Both arrive on `scheduler`.
    ///
    /// A negative delay counts as zero, which still waits for the scheduler. A value that is due during a pause is sent
    /// on the resuming thread. Disposing the subscription cancels the timer.
    @inlinable
    public static func timer(after delay: Duration, on scheduler: any TimedScheduler) -> Signal {
        Signal(start: { sink, subscription in
            guard !subscription.isDisposed else { return }
            let sink = UnsafeTransfer(subscription.restoring(sink))
            let timer = scheduler.schedule(after: delay) {
                sink.value.finish(with: CollectionOfOne(()), in: subscription)
            }
            subscription.onDispose { timer.dispose() }
        })
    }
}

extension Signal {
    /// Creates a signal that sends the elements of `values`, one per `interval`, and completes after the last one, on
    /// `scheduler`.
    ///
    /// The first value is sent one interval after the subscription. A pause postpones values but drops none: after the
    /// resume the next one is sent when the timer fires again. An empty sequence completes after one interval.
    @inlinable
    public static func interval<S: Sequence & Sendable>(
        values: S,
        every interval: Duration,
        on scheduler: any TimedScheduler
    ) -> Signal where S.Element == Value {
        Signal(start: { sink, subscription in
            guard !subscription.isDisposed else { return }
            let sink = subscription.restoring(sink)
            var iterator = values.makeIterator()
            let next = Cell(iterator.next())
            let rest = Cell(iterator)
            let step = UnsafeTransfer {
                guard subscription.acceptsValues else { return }
                guard let value = next.value else { return sink.receive(termination: .completed) }
                next.value = rest.value.next()
                let isLast = next.value == nil
                sink.receive(value)
                if isLast { sink.receive(termination: .completed) }
            }
            let timer = scheduler.schedule(every: interval) { step.value() }
            subscription.onDispose { timer.dispose() }
        })
    }
}
