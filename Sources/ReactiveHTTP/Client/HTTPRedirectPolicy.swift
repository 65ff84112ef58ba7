// SPDX-License-Identifier: MIT
#if HTTP
    /// What an ``HTTPClient`` does with a response of 301, 302, 303, 307 or 308 that has a `Location` (RFC 9110 section
    /// 15.4).
    public struct HTTPRedirectPolicy: Sendable, Hashable {
        /// The number of redirects that one request may follow. Zero means none.
        let limit: Int
        /// Whether a redirect may lead from `https` to `http`.
        let allowsDowngrade: Bool

        /// Delivers the response of the redirect like any other.
        public static let none = HTTPRedirectPolicy(limit: 0, allowsDowngrade: false)

        /// Follows redirects.
        ///
        /// - 303 changes the method to GET, except HEAD. 301 and 302 change POST to GET. Then the body and its fields are
        ///   left out.
        /// - 307 and 308, and 301 and 302 for other methods, send the request again. Its body must consist of stored
        ///   bytes: otherwise the request fails with `redirectFailed`.
        /// - A redirect to another origin drops `Authorization`, `Cookie`, `Proxy-Authorization` and `Host`.
        ///
        /// A redirect beyond the limit, to an invalid location, or to a scheme other than `http` and `https`, fails with
        /// `redirectFailed`.
        ///
        /// - Parameters:
        ///   - limit: The number of redirects that one request may follow.
        ///   - allowsDowngrade: Whether a redirect may lead from `https` to `http`. Otherwise such a redirect fails with
        ///     `redirectFailed`.
        public static func follow(limit: Int, allowsDowngrade: Bool = false) -> HTTPRedirectPolicy {
            HTTPRedirectPolicy(limit: max(0, limit), allowsDowngrade: allowsDowngrade)
        }
    }
#endif
