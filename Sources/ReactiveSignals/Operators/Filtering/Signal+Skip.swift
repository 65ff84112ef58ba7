// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Drops the first `count` values and sends the others. Zero or less drops none.
    @inlinable
    public func skip(_ count: Int) -> Signal {
        guard count > 0 else { return self }
        return Signal(start: { sink, subscription in
            let left = Cell(count)
            relay(
                in: subscription,
                { value in
                    if left.value == 0 { return sink.receive(value) }
                    left.value -= 1
                },
                { sink.receive(termination: $0) }
            )
        })
    }

    /// Drops values while `condition` returns true, then sends all others. `condition` is not called again after its
    /// first false.
    @inlinable
    public func skip(while condition: @escaping @Sendable (Value) -> Bool) -> Signal {
        Signal(start: { sink, subscription in
            let isSkipping = Cell(true)
            relay(
                in: subscription,
                { value in
                    if isSkipping.value {
                        if condition(value) { return }
                        isSkipping.value = false
                    }
                    sink.receive(value)
                },
                { sink.receive(termination: $0) }
            )
        })
    }

    /// Drops values until `trigger` sends a value or completes.
    ///
    /// `trigger` is subscribed first. A pause of the result does not pause `trigger`. It is released when it sends or
    /// terminates, or when the signal terminates. If it sends on another thread, a value that arrives at the same time
    /// may be dropped or sent.
    ///
    /// A failure of `trigger` before it sends or completes fails the result. If the signal or `trigger` cannot fail, it
    /// adopts the failure type of the other one.
    @inlinable
    public func skip<Trigger: Sendable>(until trigger: Signal<Trigger, Failure>) -> Signal {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let switched = Switch()
            let end: (Termination<Failure>) -> Void = { junction.receive(termination: $0) }
            let input = junction.inputs.makeChild()
            // A pause of the result must not pause `trigger`.
            let listening = junction.inputs.makeChild(passing: .nothing)
            let open = {
                listening.dispose()
                switched.isOn.store(true, ordering: .releasing)
            }
            trigger.relay(
                in: listening,
                { _ in open() },
                { termination in
                    // False if the trigger has sent already.
                    guard listening.end() else { return }
                    if case .failed = termination { end(termination) } else { open() }
                }
            )
            guard !input.isDisposed else { return }
            relay(in: input, { if switched.isOn.load(ordering: .acquiring) { junction.receive($0) } }, end)
        })
    }
}

/// A flag that several threads set and read.
@usableFromInline
final class Switch: Sendable {
    @usableFromInline
    let isOn = Atomic<Bool>(false)

    @inlinable
    init() {}
}
