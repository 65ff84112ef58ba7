// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Drops the first `count` values and sends the others. Zero or less drops none.
    @inlinable
    public func skip(_ count: Int) -> Signal {
        guard count > 0 else { return self }
        return Signal(start: { [start] sink, subscription in
            let left = Cell(count)
            start(
                RelaySink(
                    { value in
                        if left.value == 0 { return sink.receive(value) }
                        left.value -= 1
                    },
                    { sink.receive(termination: $0) }
                ),
                subscription
            )
        })
    }

    /// Drops values while `condition` returns true, then sends all others. `condition` is not called again after its
    /// first false.
    @inlinable
    public func skip(while condition: @escaping @Sendable (Value) -> Bool) -> Signal {
        Signal(start: { [start] sink, subscription in
            let isSkipping = Cell(true)
            start(
                RelaySink(
                    { value in
                        if isSkipping.value {
                            if condition(value) { return }
                            isSkipping.value = false
                        }
                        sink.receive(value)
                    },
                    { sink.receive(termination: $0) }
                ),
                subscription
            )
        })
    }

    /// Drops values until `trigger` sends a value or completes.
    ///
    /// `trigger` is subscribed first and is not paused with the subscription. It is released when it has sent or
    /// completed, and when the signal terminates. It may send on another thread: a value that arrives at the same time
    /// may be dropped or sent.
    @inlinable
    public func skip<Trigger: Sendable>(until trigger: Signal<Trigger, Never>) -> Signal {
        Signal(start: { [start] sink, subscription in
            let switched = Switch()
            let listening = SignalSubscription()
            subscription.onDispose { listening.dispose() }
            let open = {
                listening.dispose()
                switched.isOn.store(true, ordering: .releasing)
            }
            trigger.relay(in: listening, { _ in open() }, { _ in open() })
            start(
                RelaySink(
                    { if switched.isOn.load(ordering: .acquiring) { sink.receive($0) } },
                    { termination in
                        listening.dispose()
                        sink.receive(termination: termination)
                    }
                ),
                subscription
            )
        })
    }
}

/// A flag that one thread sets and another one reads.
@usableFromInline
final class Switch: Sendable {
    @usableFromInline
    let isOn = Atomic<Bool>(false)

    @inlinable
    init() {}
}
