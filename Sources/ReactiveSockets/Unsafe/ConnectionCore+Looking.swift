import ReactiveSignals

extension ConnectionCore {
    /// Whether whoever receives takes a chunk now; false where nobody does.
    ///
    /// The receiver is looked at without being held, which nothing can make it need: the loop alone lets go of it, and this
    /// is the loop, which calls nothing meanwhile. Holding it would be two atomic operations for each chunk.
    @inline(__always)
    var takesChunks: Bool {
        guard let receiver else { return false }
        return Unmanaged.passUnretained(receiver)._withUnsafeGuaranteedRef { receiver in receiver.subscription.isOpen }
    }
}
