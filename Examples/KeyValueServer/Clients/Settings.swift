/// What the command line says about clients.
struct Settings: Sendable {
    var limits = RequestLimits()
    /// The bytes of one reply.
    var replyBytes = 1024 * 1024 * 1024
    /// The messages that wait for one subscriber, beside those that its connection holds.
    var waitingMessages = 1024
    /// The bytes of these messages.
    var waitingBytes = 32 * 1024 * 1024
    var slowSubscribers = SlowSubscribers.dropOldest
}
