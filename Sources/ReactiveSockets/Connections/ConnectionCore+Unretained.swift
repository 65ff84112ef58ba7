import ReactiveSignals

extension ConnectionCore {
    /// Whether whoever receives takes a chunk now; false where nobody does.
    ///
    /// The subscription is looked at without being held, which nothing can make it need: the loop alone lets go of it, and this
    /// is the loop, which calls nothing meanwhile. Holding it would be two atomic operations for each chunk.
    @inline(__always)
    var takesChunks: Bool {
        guard let subscription else { return false }
        return unsafe Unmanaged.passUnretained(subscription)._withUnsafeGuaranteedRef { subscription in
            subscription.isOpen
        }
    }

    /// Whether this is the loop. The context is looked at without being held: it is constant, and the connection's own.
    @inline(__always)
    var isOnLoop: Bool {
        unsafe Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in context.isCurrent }
    }
}
