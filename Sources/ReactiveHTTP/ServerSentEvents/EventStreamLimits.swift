// SPDX-License-Identifier: MIT
#if HTTP
    /// The limits of a received event stream.
    public struct EventStreamLimits: Sendable, Hashable {
        /// The maximum number of bytes of a line, without its end.
        public var lineBytes = 64 * 1024
        /// The maximum number of bytes of all data of one event, with a line feed for each line.
        public var eventBytes = 1024 * 1024

        /// Creates the default limits.
        public init() {}
    }
#endif
