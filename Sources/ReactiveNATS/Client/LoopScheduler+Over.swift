// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore

    extension LoopScheduler {
        /// The error of a client whose loop has been disposed, or nil.
        var disposedError: NATSError? {
            isDisposed ? NATSError(.loop, "the loop \(name) has been disposed, so its clients are closed") : nil
        }
    }
#endif
