// SPDX-License-Identifier: MIT
#if !Tracing
    public import ReactiveSignals

    extension Signal {
        /// Records a span for each subscription. It exists only in a build with the trait `Tracing`. Without the trait a
        /// call is a compile-time error.
        @available(
            *,
            unavailable,
            message: "Signal.traced(…) needs the trait Tracing: .package(url: …, from: …, traits: [\"Tracing\"])"
        )
        public func traced(_ name: String) -> Signal { self }
    }
#endif
