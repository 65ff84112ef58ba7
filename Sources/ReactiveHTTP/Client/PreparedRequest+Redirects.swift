// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// Redirects (RFC 9110 section 15.4).
    extension PreparedRequest {
        /// The fields that must not reach another origin. A `Host` of the caller means the first origin.
        private static let secrets: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization, .hostField]
        /// The fields that describe content, which a GET does not have.
        private static let contentFields: [HTTPField.Name] = [
            .contentEncoding, .contentLanguage, .contentLocation, .contentType, .expect, .trailer,
        ]

        /// Whether the response is a redirect that the client can follow.
        static func isRedirect(_ response: HTTPResponse) -> Bool {
            [301, 302, 303, 307, 308].contains(response.status.code) && response.headerFields.contains(.location)
        }

        /// The request to the location of a redirect.
        ///
        /// - Throws: `redirectFailed`.
        func redirected(by response: HTTPResponse, _ policy: HTTPRedirectPolicy) throws(HTTPError) -> PreparedRequest {
            let target = try target(of: response)
            var next = message
            if Self.becomesGet(method, response.status.code) {
                next.head.method = .get
                next.body = .empty
                for name in Self.contentFields { next.head.headerFields[name] = nil }
            }
            guard case .stored = next.body.content else {
                throw HTTPError(
                    .redirectFailed,
                    "the redirect with status \(response.status.code) from \(origin) needs the body again, which was "
                        + "sent from a signal"
                )
            }
            next.head.scheme = target.scheme
            next.head.authority = target.authority
            next.head.path = target.target
            do throws(HTTPError) {
                let request = try PreparedRequest(next)
                if request.origin == origin { return request }
                if origin.isSecure, !request.origin.isSecure, !policy.allowsDowngrade {
                    throw HTTPError(.redirectFailed, "the redirect leads from \(origin) to \(request.origin)")
                }
                for name in Self.secrets { next.head.headerFields[name] = nil }
                return try PreparedRequest(next)
            } catch {
                throw HTTPError(
                    .redirectFailed,
                    "cannot follow a redirect from \(origin): \(error.message)",
                    cause: error
                )
            }
        }

        private func target(of response: HTTPResponse) throws(HTTPError) -> URLReference {
            let locations = response.headerFields[values: .location]
            guard locations.count == 1 else {
                throw HTTPError(.redirectFailed, "the redirect from \(origin) has \(locations.count) locations")
            }
            // Not parsed as a reference: a path may begin with two slashes.
            let base = (message.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let location = URLReference(URLReference.encoded(locations[0]))
            return location.resolved(
                against: URLReference(
                    scheme: message.head.scheme,
                    authority: message.head.authority,
                    path: String(base[0]),
                    query: base.count > 1 ? String(base[1]) : nil
                )
            )
        }

        private static func becomesGet(_ method: HTTPRequest.Method, _ status: Int) -> Bool {
            switch status {
            case 303: method != .get && method != .head
            case 301, 302: method == .post
            default: false
            }
        }
    }
#endif
