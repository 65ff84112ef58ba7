// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSupport

    extension LoopScheduler {
        /// The error of a client whose loop has been disposed or could not be created, or nil.
        var disposedError: NATSError? {
            if !isDisposed { return nil }
            if let creationFailure {
                return NATSError(.loop, "the loop \(name) could not be created: \(creationFailure)")
            }
            return NATSError(.loop, "the loop \(name) has been disposed, so its clients are closed")
        }
    }
#endif
