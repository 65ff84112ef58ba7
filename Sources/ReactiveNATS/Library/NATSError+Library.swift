// SPDX-License-Identifier: MIT
#if NATS
    import CNats

    extension NATSError {
        /// The error for a status that a call of nats.c on this thread has just returned. Safe: the texts are copied
        /// immediately.
        static func library(_ operation: String, _ status: natsStatus) -> NATSError {
            var last = NATS_OK
            let detail = unsafe nats_GetLastError(&last).map { unsafe String(cString: $0) } ?? ""
            let text =
                unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "status \(status.rawValue)"
            let hasMore = last == status && !detail.isEmpty && detail != text
            return NATSError(code(status), "\(operation): \(hasMore ? "\(text): \(detail)" : text)")
        }

        private static func code(_ status: natsStatus) -> Code {
            switch status {
            case NATS_NO_SERVER, NATS_IO_ERROR, NATS_STALE_CONNECTION, NATS_CONNECTION_DISCONNECTED: .noServer
            case NATS_CONNECTION_AUTH_FAILED: .wrongCredentials
            case NATS_NOT_PERMITTED: .notPermitted
            case NATS_SECURE_CONNECTION_WANTED, NATS_SECURE_CONNECTION_REQUIRED, NATS_SSL_ERROR: .insecure
            case NATS_ADDRESS_MISSING: .invalidAddress
            case NATS_INVALID_SUBJECT: .invalidSubject
            case NATS_INVALID_ARG, NATS_INVALID_QUEUE_NAME: .invalidArgument
            case NATS_CONNECTION_CLOSED, NATS_INVALID_SUBSCRIPTION: .closed
            case NATS_INSUFFICIENT_BUFFER: .bufferFull
            case NATS_MAX_PAYLOAD: .messageTooLarge
            case NATS_SLOW_CONSUMER: .slowSubscriber
            case NATS_TIMEOUT: .timedOut
            case NATS_NO_RESPONDERS: .noResponders
            case NATS_PROTOCOL_ERROR: .malformed
            default: .library
            }
        }
    }
#endif
