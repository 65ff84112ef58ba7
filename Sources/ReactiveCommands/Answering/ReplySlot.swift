// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// One request's position in the reply order, and its replies that wait for earlier requests. Only steps of the
/// ``Junction`` access the variables. Any thread may count a reply in `backPressure`.
@usableFromInline
final class ReplySlot<Request: Sendable, Output: Sendable> {
    @usableFromInline
    let request: Request
    /// Counts the replies that wait, and pauses the work when there are many.
    @usableFromInline
    let backPressure: BackPressure

    @usableFromInline
    var values: [Output] = []
    @usableFromInline
    var isOver = false

    @inlinable
    init(_ request: Request, _ work: SignalSubscription) {
        self.request = request
        // `.bySubscriber`, because a failure of the work must not overtake the replies before it (law 9).
        backPressure = BackPressure(work, 64, .bySubscriber)
    }
}
