// SPDX-License-Identifier: MIT
#if !HTTP
    /// An HTTP/1.1 client. This build lacks the trait `HTTP`, so every use is a compile-time error that names it.
    @available(
        *,
        unavailable,
        message: "HTTPClient needs the trait HTTP: .package(url: …, from: …, traits: [\"HTTP\"])"
    )
    public final class HTTPClient: Sendable {
        /// Creates nothing: it cannot be called.
        ///
        /// - Throws: Nothing.
        public init() throws {}
    }
#endif
