public import ReactiveSignals

/// One request's place among the replies, with what has come before its turn. It belongs to the junction's steps.
@usableFromInline
final class ReplySlot<Request: Sendable, Output: Sendable> {
    @usableFromInline
    let request: Request
    /// The values that are on their way to their turn; when there are many the work is held back.
    @usableFromInline
    let backPressure: BackPressure

    @usableFromInline
    var values: [Output] = []
    @usableFromInline
    var isOver = false
    /// Whether the request waits for a place in the command that it does not have.
    @usableFromInline
    var isStuck = false

    @inlinable
    init(_ request: Request, _ work: SignalSubscription) {
        self.request = request
        // A failure of the work is a reply like any other, in its place.
        backPressure = BackPressure(work, 64, .subscriber)
    }
}
