/// A subscription's first listener in two words; which kind it is of is said elsewhere, where there is room for two bits.
///
/// There is one subscription for each connection, and what tells three kinds of closures apart makes an enum of them half as large
/// again: the seventeenth byte has seven of padding behind it.
///
/// Safe: a closure is kept as the bits of one without parameters, and is called only when it has been made what it was
/// again; to keep, copy and free one takes its second word alone, which is the same for all. The structs are there so that the
/// closure inside is neither wrapped nor converted on the way.
struct FirstListener {
    enum Kind: UInt8 { case none, end, flow, changes }

    private struct End { let call: @Sendable () -> Void }
    private struct Flow { let call: @Sendable (Bool) -> Void }
    private struct Changes { let call: @Sendable (SubscriptionChange) -> Void }

    private var kept: End?

    /// Keeps a listener, and says of which kind it is.
    mutating func keep(_ listener: SubscriptionListener) -> Kind {
        switch listener {
        case .end(let call):
            kept = End(call: call)
            return .end
        case .flow(let call):
            kept = unsafe unsafeBitCast(Flow(call: call), to: End.self)
            return .flow
        case .changes(let call):
            kept = unsafe unsafeBitCast(Changes(call: call), to: End.self)
            return .changes
        }
    }

    /// The listener, by the kind that ``keep(_:)`` said.
    func listener(_ kind: Kind) -> SubscriptionListener? {
        guard let kept else { return nil }
        switch kind {
        case .none: return nil
        case .end: return .end(kept.call)
        case .flow: return unsafe .flow(unsafeBitCast(kept, to: Flow.self).call)
        case .changes: return unsafe .changes(unsafeBitCast(kept, to: Changes.self).call)
        }
    }
}
