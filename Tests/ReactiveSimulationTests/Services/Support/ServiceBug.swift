// SPDX-License-Identifier: MIT

/// Mistakes that people make in services. A service that is given one makes it.
///
/// They were written before the simulation ran on them for the first time. It found 18 of 22. Three of the others had no
/// effect on the service, because of what the framework promises: a terminated emitter ignores a second answer, answers
/// that have been handed over survive an abort, and a drain without time still lets a service say goodbye. `endIsClose`,
/// `doubleAnswer` and `drainDropsLastLine` are now mistakes with an effect. `missingBackoff` needed a server that
/// refuses connections for some seconds.
enum ServiceBug: String, CaseIterable, Sendable {
    // The echo server and its clients
    /// The server treats each chunk as a whole number of lines.
    case chunkIsFrame
    /// The server keeps one connection for each client name, and answers on the one that it met first.
    case answersOldConnection
    /// A client does not limit the time of an answer.
    case forgottenTimeout
    /// A client connects again without a delay.
    case missingBackoff
    /// The server aborts a connection at the peer's end of stream, before the answers have arrived.
    case endIsClose

    // The proxy
    /// The proxy ends both directions when one has ended.
    case proxyEndsBothDirections
    /// The proxy drops chunks while the other side is not writable.
    case proxyDropsWhenFull
    /// The proxy keeps the connection to the target when its peer fails.
    case proxyLeaksTarget

    // The key-value server's clients
    /// A client increments a number by reading it and writing it back.
    case lostUpdate
    /// A client repeats an increment whose outcome it does not know, and counts it once.
    case doubledRetry
    /// A client answers reads from a cache that other clients do not update.
    case staleCache
    /// A client takes the answers of its pipeline in the wrong order after a reconnect.
    case answersOfOldPipeline

    // The line server
    /// The server admits one connection more than its limit.
    case limitOffByOne
    /// The server does not count down when a connection fails.
    case counterLeak
    /// The server's own pause counts as the peer's silence.
    case pauseIsIdle
    /// The drain resets connections whose last line is still on its way.
    case drainDropsLastLine

    // The chat
    /// A member that has left stays in the room.
    case forgottenLeave
    /// A line goes to the members one after another, each after the previous one has received it.
    case slowMemberBlocksRoom
    /// The queue of a slow member has no limit.
    case unboundedQueue

    // Commands
    /// A request whose time has run out is answered a second time when its answer arrives.
    case doubleAnswer
    /// A failed request is repeated forever.
    case retryForever
    /// An answer is taken for the request that waits now, not for the one it belongs to.
    case lateAnswer
}
