// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// `flatMap(.latest)`: subscribes to one signal at a time, the newest.
///
/// A signal starts when all teardowns of the previous one have returned, so two signals never use the same resource. If
/// another thread is still running a teardown, that thread starts the signal afterwards.
///
/// Only the code that receives the source's events accesses `current` and `last`, and only steps of the ``Junction``
/// access the other variables. Each signal has a number. If another thread sends a value of an older signal during the
/// switch, the number identifies the value as outdated, and the value is dropped.
@usableFromInline
final class LatestFlatMap<New: Sendable, Failure: Error> {
    /// A signal that has been subscribed to, or that waits for the teardowns of the previous one.
    @usableFromInline
    struct Inner: Sendable {
        @usableFromInline
        let input: SignalSubscription
        /// Is not idle before the call that starts a waiting signal has returned. `nil` for a signal that has not waited.
        @usableFromInline
        let turn: ActivityCount?

        @inlinable
        init(_ input: SignalSubscription, _ turn: ActivityCount?) {
            self.input = input
            self.turn = turn
        }

        /// Whether the next signal may start. Call it after the disposal of `input`.
        @inlinable
        var isOver: Bool { input.isTornDown && turn?.isIdle ?? true }

        /// Calls `body` when the next signal may start. Call it after the disposal of `input`.
        @inlinable
        func whenOver(_ body: @escaping @Sendable () -> Void) {
            guard let turn else { return input.whenTornDown(body) }
            turn.whenIdle { [input] in input.whenTornDown(body) }
        }
    }

    @usableFromInline
    let junction: Junction<New, Failure>

    @safe @exclusivity(unchecked)
    @usableFromInline
    var current: Inner?
    @safe @exclusivity(unchecked)
    @usableFromInline
    var last = 0
    @safe @exclusivity(unchecked)
    @usableFromInline
    var active = 0
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isRunning = false
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isOuterOver = false

    @inlinable
    init(_ junction: Junction<New, Failure>) {
        self.junction = junction
    }

    /// Disposes the current signal and subscribes to the signal that `make` returns.
    @inlinable
    func change(to make: () -> Signal<New, Failure>) {
        let previous = current
        previous?.input.dispose()
        last += 1
        let number = last
        let input = junction.inputs.makeChild()
        let waitsFor = previous.flatMap { $0.isOver ? nil : $0 }
        let turn = waitsFor.map { _ in ActivityCount() }
        turn?.enter()
        current = Inner(input, turn)
        junction.run(number) { [self] number in
            active = number
            isRunning = true
        }
        let signal = make()
        guard let waitsFor else { return start(signal, input, number) }
        let latest = UnsafeTransfer(self)
        waitsFor.whenOver {
            input.restoring { latest.value.start(signal, input, number) }
            turn?.leave()
        }
    }

    @inlinable
    func start(_ signal: Signal<New, Failure>, _ input: SignalSubscription, _ number: Int) {
        guard !input.isDisposed else { return }
        let received: (New) -> Void = { [self] value in if active == number { junction.send(value) } }
        signal.relay(
            in: input,
            { [junction] in junction.run($0, received) },
            { [self] termination in
                guard input.end() else { return }
                junction.run(termination) { [self] termination in
                    guard active == number else { return }
                    isRunning = false
                    end(termination)
                }
            }
        )
    }

    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        junction.run(termination) { [self] termination in
            isOuterOver = true
            end(termination)
        }
    }

    @inlinable
    func end(_ termination: Termination<Failure>) {
        switch termination {
        case .completed: if isOuterOver, !isRunning { junction.end(.completed) }
        case .failed: junction.end(termination)
        }
    }
}
