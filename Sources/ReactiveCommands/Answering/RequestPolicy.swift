// SPDX-License-Identifier: MIT
/// What a signal of requests does when the command admits no more executions.
public enum RequestPolicy: Sendable, Hashable {
    /// Pauses the requests. The first request that is not admitted is executed next, before any execution that is
    /// submitted directly. If the requests of several signals wait, they are executed in the order of arrival. A queue
    /// that drops its oldest execution always accepts one more, so the requests are not paused.
    case wait
    /// Rejects the request, as ``Command/execute(_:replaying:whenDisposed:)`` does. `onError` returns the reply.
    case reject
}
