// SPDX-License-Identifier: MIT
#if !TLS
    public import ReactiveSockets

    /// Certificates, keys and settings. This build lacks the trait `TLS`, so every use is a compile-time error that names
    /// it.
    @available(
        *,
        unavailable,
        message: "TLSContext needs the trait TLS: .package(url: …, from: …, traits: [\"TLS\"])"
    )
    public final class TLSContext: Sendable {
        /// Creates nothing: it cannot be called.
        ///
        /// - Throws: Nothing.
        public init(_ configuration: TLSConfiguration = TLSConfiguration()) throws {}

        /// Creates nothing: it cannot be called.
        public var server: @Sendable () -> any ConnectionTransformer { fatalError() }
    }

    /// The settings of a context. This build lacks the trait `TLS`, so every use is a compile-time error that names it.
    @available(
        *,
        unavailable,
        message: "TLSConfiguration needs the trait TLS: .package(url: …, from: …, traits: [\"TLS\"])"
    )
    public struct TLSConfiguration: Sendable {
        /// Creates nothing: it cannot be called.
        public init() {}
    }
#endif
