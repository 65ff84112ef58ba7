// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The limits for each client, from the command line.
struct Settings: Sendable {
    var limits = RequestLimits()
    /// The maximum number of bytes of one reply.
    var replyBytes = 1024 * 1024 * 1024
    /// The maximum number of messages that wait for one subscriber, in addition to those in its connection's buffers.
    var waitingMessages = 1024
    /// The maximum number of bytes of these messages.
    var waitingBytes = 32 * 1024 * 1024
    var slowSubscribers = SlowSubscribers.dropOldest
    /// The rate of requests of one address. `nil` means no limit.
    var requestRate: TokenRate?
}
