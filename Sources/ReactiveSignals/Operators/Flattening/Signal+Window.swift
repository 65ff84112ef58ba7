// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends the values in windows: signals of `count` values each. It is ``collect(count:)`` with signals in place of
    /// arrays.
    ///
    /// A window is sent when its first value arrives, so no window is empty. It completes after its last value. When
    /// the signal completes or fails, the open window first does the same.
    ///
    /// A window stores its values until its first subscriber arrives. Later subscribers receive later values only.
    /// To bound memory, subscribe when the window arrives.
    ///
    /// Pausing the result pauses the source, and so the open window. Pausing a window buffers its values.
    ///
    /// Disposing the subscription before the signal has terminated also stops all windows. After that no window sends a
    /// value or a termination ([law 1](doc:LawsOfSignals)). So `take(_:)` on the result stops the windows that it has
    /// sent. A disposal after the termination stops no window: a paused subscriber still receives its buffered values
    /// and the termination.
    ///
    /// Do not use `flatMap(.concat)` on the result. `concat` pauses the source while a window is active, so the window
    /// never completes. Use `.merge`.
    ///
    /// - Parameters:
    ///   - count: The number of values of a window. Less than one counts as one.
    ///   - policy: How to buffer values for a paused subscriber of a window.
    @inlinable
    public func window(
        count: Int,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<Signal<Value, Failure>, Failure> {
        Signal<Signal<Value, Failure>, Failure>(start: { sink, subscription in
            let windows = Windows<Value, Failure>(sink, subscription, count, policy)
            windows.junction.join(self, onValue: windows.receive, onTermination: windows.ended)
        })
    }

    /// Sends the values in windows. A window completes `interval` after its first value, measured by `scheduler`, or
    /// when it has `count` values. It is ``collect(every:count:on:)`` with signals in place of arrays.
    ///
    /// Apart from that, it behaves like ``window(count:whilePaused:)``. A window is sent when its first value arrives.
    /// While no window is open, no timer is armed. A pause does not delay the end of a window. Its subscribers receive
    /// the completion after the values that are buffered for them.
    ///
    /// - Parameters:
    ///   - interval: The maximum time for which a window is open. A negative duration counts as zero.
    ///   - count: The number of values of a full window. Less than one counts as one.
    ///   - scheduler: The scheduler that completes a window when its time is over.
    ///   - policy: How to buffer values for a paused subscriber of a window.
    @inlinable
    public func window(
        every interval: Duration,
        count: Int = .max,
        on scheduler: any TimedScheduler,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<Signal<Value, Failure>, Failure> {
        Signal<Signal<Value, Failure>, Failure>(start: { sink, subscription in
            let windows = Windows<Value, Failure>(sink, subscription, count, policy, interval, scheduler)
            windows.junction.join(self, onValue: windows.receive, onTermination: windows.ended)
        })
    }

    /// Sends the values in windows: each value of `boundary` completes the open window.
    ///
    /// Apart from that, it behaves like ``window(count:whilePaused:)``. `boundary` is subscribed first. A value of
    /// `boundary` without an open window does nothing. When `boundary` completes, the open window stays open until the
    /// signal terminates. A failure of `boundary` fails the open window and the result. If the signal or `boundary`
    /// cannot fail, it adopts the failure type of the other one. A pause pauses both signals.
    ///
    /// - Parameters:
    ///   - boundary: The signal whose values complete windows.
    ///   - policy: How to buffer values for a paused subscriber of a window.
    @inlinable
    public func window<Boundary: Sendable>(
        boundary: Signal<Boundary, Failure>,
        whilePaused policy: BufferPolicy = .unbounded
    ) -> Signal<Signal<Value, Failure>, Failure> {
        Signal<Signal<Value, Failure>, Failure>(start: { sink, subscription in
            let windows = Windows<Value, Failure>(sink, subscription, .max, policy)
            windows.junction.join(
                boundary,
                onValue: { _ in windows.close() },
                onTermination: { if case .failed = $0 { windows.ended($0) } }
            )
            windows.junction.join(self, onValue: windows.receive, onTermination: windows.ended)
        })
    }
}

/// The open window, if any. If no window is open, the next value opens one. Only steps of the ``Junction`` access it.
@usableFromInline
final class Windows<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Signal<Value, Failure>, Failure>
    @usableFromInline
    let members: GroupMembers
    @usableFromInline
    let count: Int
    @usableFromInline
    let policy: BufferPolicy
    @usableFromInline
    let interval: Duration
    /// The timer of the open window. `nil` means that windows have no time limit.
    @usableFromInline
    let alarm: Alarm?

    @safe @exclusivity(unchecked)
    @usableFromInline
    var open: ReplayCore<Value, Failure>?
    /// The number of values that the open window may still receive.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var left = 0
    @safe @exclusivity(unchecked)
    @usableFromInline
    var due = LoopInstant.distantFuture

    @inlinable
    init(
        _ sink: Sink<Signal<Value, Failure>, Failure>,
        _ subscription: SignalSubscription,
        _ count: Int,
        _ policy: BufferPolicy,
        _ interval: Duration = .zero,
        _ scheduler: (any TimedScheduler)? = nil
    ) {
        let junction = Junction(sink, subscription)
        self.junction = junction
        self.count = max(1, count)
        self.policy = policy
        self.interval = interval
        members = GroupMembers(subscription)
        alarm = scheduler.map { Alarm($0, in: junction.inputs) }
    }

    @inlinable
    func receive(_ value: Value) {
        let window = open ?? begin()
        left -= 1
        window.send(value)
        if left == 0 { close() }
    }

    /// Sends a new window.
    @inlinable
    func begin() -> ReplayCore<Value, Failure> {
        // The first values may arrive before the window's subscriber: after a pause, or behind an `observe(on:)`.
        let window = ReplayCore<Value, Failure>(.max, policy, storesForFirst: true)
        open = window
        left = count
        if let alarm {
            due = alarm.now + interval
            let windows = UnsafeTransfer(self)
            alarm.set(at: due) { windows.value.junction.run((), windows.value.fire) }
        }
        junction.send(
            members.limit(Signal(start: { sink, subscription in window.subscribe(sink, subscription) }))
        )
        return window
    }

    @inlinable
    func fire() {
        // The timer of a window that is full may already have fired.
        if let alarm, open != nil, alarm.now >= due { close() }
    }

    /// Completes the open window, if any.
    @inlinable
    func close() {
        alarm?.cancel()
        open.take()?.send(termination: .completed)
    }

    /// Releases the inputs, and terminates the open window before the result.
    @inlinable
    func ended(_ termination: Termination<Failure>) {
        members.finish()
        junction.inputs.dispose()
        open.take()?.send(termination: termination)
        junction.end(termination)
    }
}
