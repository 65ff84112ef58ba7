public import ReactiveSignals

/// One request's place in the order of replies, with what has come before its turn. It belongs to the junction's steps.
@usableFromInline
final class ReplySlot<Output: Sendable> {
    @usableFromInline
    var values: [Output] = []
    @usableFromInline
    var isOver = false
    /// Whether the request waits for a place in the command that it does not have.
    @usableFromInline
    var isStuck = false
    /// The subscription of the work, while it is held back because its turn has not come.
    @usableFromInline
    var held: SignalSubscription?

    @inlinable
    init() {}

    /// Keeps a value until it is its turn, and holds back the work, which has not more than that to send before.
    @inlinable
    func keep(_ value: Output, from work: SignalSubscription) {
        values.append(value)
        if held == nil {
            held = work
            work.hold()
        }
    }

    @inlinable
    func letGo() {
        held?.letGo()
        held = nil
    }
}
