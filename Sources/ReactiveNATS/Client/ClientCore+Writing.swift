// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals

    /// Publishing the messages of signals.
    extension ClientCore: SignalDestination {
        var refusal: NATSError? { end }

        func write(_ message: NATSMessage, from source: SignalSubscription) {
            guard end == nil else { return }
            // A source is paused after the message that exceeds the limit, so this message is not refused.
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
