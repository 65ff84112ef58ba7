// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveHTTP
    public import ReactiveSockets

    /// A server whose connections a ``Dashboard`` shows, with a name.
    public struct ObservedServer: Sendable {
        let name: String
        let server: Server

        /// Names a server.
        ///
        /// - Parameters:
        ///   - name: The name on the page and in metrics.
        ///   - server: The server. The dashboard retains it.
        public init(_ name: String, _ server: Server) {
            self.name = name
            self.server = server
        }

        /// Names an HTTP server.
        ///
        /// - Parameters:
        ///   - name: The name on the page and in metrics.
        ///   - server: The server. The dashboard retains it.
        public init(_ name: String, _ server: HTTPServer) {
            self.init(name, server.server)
        }

        var view: DashboardSnapshot.ServerView {
            var view = DashboardSnapshot.ServerView()
            let totals = server.totals
            view.name = DashboardBounds.shortened(name)
            view.address = DashboardBounds.shortened(server.localAddress.description)
            view.count = server.servedCount
            view.accepted = totals.accepted
            view.ended = totals.ended
            view.failed = totals.failed
            view.refused = totals.refused
            view.received = totals.received
            view.sent = totals.sent
            return view
        }
    }
#endif
