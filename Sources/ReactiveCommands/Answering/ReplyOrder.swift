// SPDX-License-Identifier: MIT
/// The order in which the replies to requests are sent.
public enum ReplyOrder: Sendable, Hashable {
    /// In the order of the requests, whichever execution ends first, as pipelining protocols require. Replies to later
    /// requests wait for the replies to earlier ones.
    case asRequested
    /// As the executions send them. The values of several executions may be interleaved.
    case asFinished
}
