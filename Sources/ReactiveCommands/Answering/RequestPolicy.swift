// SPDX-License-Identifier: MIT
/// What a signal of requests does when the command admits no more executions.
public enum RequestPolicy: Sendable, Hashable {
    /// Pauses the requests. The first request that is not admitted gets the next free slot, before any direct
    /// execution. If the requests of several signals wait, they get slots in the order of arrival. A queue that drops
    /// its oldest execution always accepts one more, so it pauses nothing.
    case wait
    /// Rejects the request, as ``Command/execute(_:replaying:whenDisposed:)`` does. `onError` makes the reply.
    case reject
}
