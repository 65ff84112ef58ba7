// SPDX-License-Identifier: MIT
/// The policy for a request that the command would reject as busy or full. With both policies, a disabled or ended
/// command rejects the request.
public enum RequestPolicy: Sendable, Hashable {
    /// Pauses the request signal until this request begins. It begins before executions that other callers submit
    /// later. If the requests of several signals wait, they are executed in the order of arrival. A queue that drops
    /// its oldest execution always accepts one more, so the requests are not paused.
    case wait
    /// Rejects the request, as ``Command/execute(_:replaying:whenDisposed:)`` does. `onError` returns the reply.
    case reject
}
