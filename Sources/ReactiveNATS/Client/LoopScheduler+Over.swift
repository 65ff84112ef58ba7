// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore

    extension LoopScheduler {
        /// The error of a client whose loop has been disposed, or nil.
        var disposedError: NATSError? {
            isDisposed ? NATSError(.loop, "the loop \(name) has been disposed, and its connections with it") : nil
        }
    }
#endif
