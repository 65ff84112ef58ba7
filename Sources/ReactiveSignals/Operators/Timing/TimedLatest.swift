// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The common part of `debounce` and `throttle`: keeps the latest value until it is due. Only steps of the ``Junction``
/// access it.
@usableFromInline
final class TimedLatest<Value: Sendable, Failure: Error>: TimedSteps<Value, Failure> {
    @usableFromInline
    enum Kind {
        /// A value is due `interval` after it arrived.
        case debounce
        /// A value is due `interval` after the last sent one, or immediately if that instant has passed.
        case throttle
        /// As `throttle`, but a value that is not due immediately is dropped.
        case throttleFirst
    }

    @usableFromInline
    let kind: Kind
    /// Whether completion drops the waiting value.
    @usableFromInline
    let discards: Bool

    @safe @exclusivity(unchecked)
    @usableFromInline
    var pending: Value?
    /// The instant from which the waiting value, or the next one, may be sent.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var due = LoopInstant.distantPast
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isArmed = false
    @safe @exclusivity(unchecked)
    @usableFromInline
    var isEnding = false

    @inlinable
    init(
        _ kind: Kind,
        _ junction: Junction<Value, Failure>,
        _ interval: Duration,
        _ scheduler: any TimedScheduler,
        _ discards: Bool
    ) {
        self.kind = kind
        self.discards = discards
        super.init(junction, interval, scheduler)
    }

    @inlinable
    func join(_ signal: Signal<Value, Failure>) { junction.join(signal, onValue: receive, onTermination: ended) }

    @inlinable
    func receive(_ value: Value) {
        let now = alarm.now
        switch kind {
        case .debounce: due = now + interval
        case .throttle where pending == nil && now >= due, .throttleFirst where now >= due:
            due = now + interval
            return junction.send(value)
        case .throttle: break
        case .throttleFirst: return
        }
        pending = value
        // An armed timer checks the due time again when it fires.
        if !isArmed { arm() }
    }

    @inlinable
    func arm() {
        isArmed = true
        arm(at: due, fire)
    }

    @inlinable
    func fire() {
        isArmed = false
        guard let value = pending else { return }
        let now = alarm.now
        if now < due { return arm() }
        pending = nil
        due = now + interval
        junction.send(value)
        if isEnding { junction.end(.completed) }
    }

    @inlinable
    func ended(_ termination: Termination<Failure>) {
        if case .completed = termination, !discards, let value = pending {
            if kind == .throttle {
                isEnding = true
                return
            }
            junction.send(value)
        }
        pending = nil
        junction.end(termination)
    }
}
