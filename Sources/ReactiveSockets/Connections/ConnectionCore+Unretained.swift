import ReactiveSignals

extension ConnectionCore {
    /// Whether a subscriber accepts a chunk now. False if there is none.
    ///
    /// Safe without a retain: only the loop releases the subscription, and this code runs on the loop and calls nothing that could.
    /// A retain would need two atomic operations for each chunk.
    @inline(__always)
    var takesChunks: Bool {
        guard let subscription else { return false }
        return unsafe Unmanaged.passUnretained(subscription)._withUnsafeGuaranteedRef { subscription in
            subscription.isOpen
        }
    }

    /// Whether the caller is on the loop. Safe without a retain: `context` is constant, and this object retains it.
    @inline(__always)
    var isOnLoop: Bool {
        unsafe Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in context.isCurrent }
    }
}
