// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals

    /// Publishing the messages of signals.
    extension ClientCore: SignalDestination {
        var refusal: NATSError? { end }

        func write(_ message: NATSMessage, from source: SignalSubscription) {
            guard end == nil else { return }
            // Each source is paused after its first message beyond the limit, so that message is not lost.
            publish(message, isLimited: false)
            if isAboveHighWatermark { pause(source) }
        }

        func whenWritten(_ settle: @escaping @Sendable (Termination<NATSError>) -> Void) {
            flush { error in settle(error.map { .failed($0) } ?? .completed) }
        }

        static var writing: StaticString { "NATSClient.publish(from:)" }

        static func failure(ofSource failure: any Error) -> NATSError {
            NATSError(.sourceFailed, "the signal being published failed: \(failure)")
        }
    }
#endif
