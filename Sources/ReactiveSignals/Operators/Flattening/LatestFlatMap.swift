// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// `flatMap(.latest)`: subscribes to one signal at a time, the newest.
///
/// A signal starts when all teardowns of the previous ones have returned, so two signals never use the same resource.
/// If another thread is still running a teardown, that thread starts the newest signal afterwards.
///
/// Only the code that receives the source's events accesses `current` and `last`, and only steps of the ``Junction``
/// access the other variables. Each signal has a number. If another thread sends a value of an older signal during the
/// switch, the number identifies the value as outdated, and the value is dropped.
@usableFromInline
final class LatestFlatMap<New: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<New, Failure>
    /// Starts the newest signal when the teardowns of the previous ones have returned.
    @usableFromInline
    let runs = ExclusiveRuns()

    @safe @exclusivity(unchecked)
    @usableFromInline
    var current: SignalSubscription?
    @safe @exclusivity(unchecked)
    @usableFromInline
    var last = 0
    /// The number of the signal that has not terminated. Zero means none.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var active = 0
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
        disposeCurrent()
        last += 1
        let number = last
        let input = junction.inputs.makeChild()
        current = input
        junction.run(number) { [self] number in active = number }
        let signal = make()
        // Only this code begins calls, so an idle counter stays idle.
        if runs.isIdle { return start(signal, input, number) }
        let latest = UnsafeTransfer(self)
        _ = runs.enter(before: { input.restoring { latest.value.start(signal, input, number) } })
        runs.leave()
    }

    @inlinable
    func disposeCurrent() {
        guard let current else { return }
        current.dispose()
        if current.isTornDown { return }
        runs.enter()
        current.whenTornDown { [runs] in runs.leave() }
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
                    active = 0
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
        case .completed: if isOuterOver, active == 0 { junction.end(.completed) }
        case .failed: junction.end(termination)
        }
    }
}
