// SPDX-License-Identifier: MIT
/// What a signal of requests does when the command admits no more executions.
public enum RequestPolicy: Sendable, Hashable {
    /// Pauses the requests. The first request that is not admitted gets the next free slot: before direct executions,
    /// and in the order of arrival if several signals wait. A queue that drops its oldest execution always admits one
    /// more, so it pauses nothing.
    case wait
    /// Rejects the request, as a direct execution is rejected. The error becomes a reply.
    case reject
}
