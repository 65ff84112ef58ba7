#if NATS
    import ReactiveCore

    extension LoopScheduler {
        /// Why nothing can be asked of a client any more, where the loop has been disposed: it would never answer.
        var overError: NATSError? {
            isDisposed ? NATSError(.loop, "the loop \(name) has been disposed, and its connections with it") : nil
        }
    }
#endif
