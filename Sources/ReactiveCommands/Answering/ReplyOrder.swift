// SPDX-License-Identifier: MIT
/// The order in which the replies to requests are sent.
public enum ReplyOrder: Sendable, Hashable {
    /// In the order of the requests, whichever execution ends first, as pipelining protocols require. Replies that
    /// arrive early wait.
    case asRequested
    /// As they arrive. The values of several executions may alternate.
    case asFinished
}
