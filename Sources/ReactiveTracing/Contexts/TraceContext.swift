// SPDX-License-Identifier: MIT
/// The position of an operation in a trace, as the W3C recommendation Trace Context carries it between processes.
///
/// Parsing accepts what the recommendation accepts, and no more. An invalid `traceparent` gives no context. An invalid
/// `tracestate` gives an empty ``state``. So a hostile peer can only lose its own trace.
public struct TraceContext: Sendable, Hashable {
    /// The number of a trace: 128 bits that are not all zero.
    public struct TraceID: Sendable, Hashable, CustomStringConvertible {
        /// The first 64 bits.
        public let high: UInt64
        /// The last 64 bits.
        public let low: UInt64

        /// Creates a number, or returns `nil` if both halves are zero.
        public init?(high: UInt64, low: UInt64) {
            if high == 0, low == 0 { return nil }
            (self.high, self.low) = (high, low)
        }

        /// Returns a random number.
        public static func random() -> TraceID {
            TraceID(nonzero: .random(in: .min ... .max), .random(in: 1 ... .max))
        }

        private init(nonzero high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

        /// The number as 32 lowercase hexadecimal digits.
        public var description: String { hexadecimal(high, digits: 16) + hexadecimal(low, digits: 16) }
    }

    /// The number of an operation within a trace: 64 bits that are not all zero.
    public struct SpanID: Sendable, Hashable, CustomStringConvertible {
        /// The 64 bits.
        public let bits: UInt64

        /// Creates a number, or returns `nil` for zero.
        public init?(_ bits: UInt64) {
            if bits == 0 { return nil }
            self.bits = bits
        }

        /// Returns a random number.
        public static func random() -> SpanID { SpanID(nonzero: .random(in: 1 ... .max)) }

        private init(nonzero bits: UInt64) { self.bits = bits }

        /// The number as 16 lowercase hexadecimal digits.
        public var description: String { hexadecimal(bits, digits: 16) }
    }

    /// The context of the work that the current task, or the current subscription, does. `nil` means that it belongs to
    /// no trace.
    ///
    /// `Signal.propagating(_:)` carries it through a subscription:
    /// `signal.propagating(TraceContext.$current)`.
    @TaskLocal public static var current: TraceContext?

    /// The number of the trace.
    public var traceID: TraceID
    /// The number of the operation.
    public var spanID: SpanID
    /// Whether the caller may have recorded the trace.
    public var isSampled: Bool
    /// The entries of tracing systems, the most recent one first.
    public var state: TraceState

    /// Creates a context. By default it begins a new trace with random numbers.
    public init(
        traceID: TraceID = .random(),
        spanID: SpanID = .random(),
        isSampled: Bool = true,
        state: TraceState = TraceState()
    ) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// Returns a context for an operation inside of this one: the same trace, and a new random ``spanID``.
    public func child() -> TraceContext {
        TraceContext(traceID: traceID, isSampled: isSampled, state: state)
    }
}

private func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: digits - text.utf8.count) + text
}
