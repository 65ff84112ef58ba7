// SPDX-License-Identifier: MIT
#if !HTTP
    /// A live view of a service. This build lacks the trait `HTTP`, so every use is a compile-time error that names it.
    @available(
        *,
        unavailable,
        message: "Dashboard needs the trait HTTP: .package(url: …, from: …, traits: [\"HTTP\"])"
    )
    public final class Dashboard: Sendable {
        /// Creates nothing: it cannot be called.
        ///
        /// - Throws: Nothing.
        public init() throws {}
    }
#endif
