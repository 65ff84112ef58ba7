// SPDX-License-Identifier: MIT
#if HTTP
    package import ReactiveCore
    package import ReactiveSockets

    /// What a dashboard shows at one moment. It is bounded: see ``DashboardBounds``.
    package struct DashboardSnapshot: Sendable {
        package var loops: [LoopView] = []
        package var servers: [ServerView] = []
        package var graph = GraphView()
        package var problems: [Problem] = []
        /// The number of open pages.
        package var pages = 0

        package struct LoopView: Sendable {
            package var name = ""
            /// The time between the submission of a job and its beginning, in seconds. It is the time so far if the loop
            /// does not respond.
            package var lag = 0.0
            package var isResponding = true
            package var isDisposed = false
            /// The counts, and the lengths of turns since the first page was opened. `nil` if the loop does not respond, or
            /// does not count.
            package var measurements: LoopMeasurements?
        }

        package struct ServerView: Sendable {
            package var name = ""
            package var address = ""
            package var count = 0
            package var accepted = 0
            package var ended = 0
            package var failed = 0
            package var refused = 0
            /// The bytes of ended connections.
            package var received = 0
            package var sent = 0
            /// Some of the connections.
            package var connections: [ConnectionView] = []
        }

        package struct ConnectionView: Sendable {
            package var facts: ConnectionFacts
            /// The name of its loop.
            package var loop: String
        }

        package struct GraphView: Sendable {
            /// The number of recorded subscriptions, including those that are left out.
            package var count = 0
            package var paused = 0
            package var waiting = 0
            /// The number of subscriptions of each name.
            package var names: [String: Int] = [:]
            package var nodes: [NodeView] = []
        }

        package struct NodeView: Sendable {
            package var number = 0
            package var name = ""
            package var location: String?
            package var parent: Int?
            package var isPaused = false
            package var waiting: Int?
            package var values: Int?
            /// `nil` means that it is not known.
            package var rate: Double?
            package var stages: [StageView] = []
            package var pausedFor: Double?
            package var causes: [CauseView] = []
        }

        package struct StageView: Sendable {
            package var name = ""
            package var location = ""
            package var values = 0
            package var rate: Double?
        }

        /// A subscriber that causes a pause.
        package struct CauseView: Sendable, Equatable {
            package var number: Int
            package var name: String
            package var location: String?
            package var reason: String
        }

        package struct Problem: Sendable, Equatable {
            package var kind: Kind
            package var text: String

            package enum Kind: String, Sendable { case lag, pause, growth }
        }
    }

    /// The most that a snapshot contains, and that a dashboard serves.
    enum DashboardBounds {
        static let nodes = 500
        static let stages = 8
        static let causes = 8
        static let connections = 200
        static let names = 500
        static let problems = 50
        /// The number of bytes of a text.
        static let text = 200
        static let pages = 8
        /// How long a snapshot waits for the loops.
        static let patience = Duration.milliseconds(500)
        static let interval = Duration.seconds(1)

        static func shortened(_ text: String) -> String {
            if text.utf8.count <= self.text { return text }
            // A prefix of bytes may end inside a character, which becomes U+FFFD.
            return String(decoding: text.utf8.prefix(self.text), as: UTF8.self) + "…"
        }
    }
#endif
