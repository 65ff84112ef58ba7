/// What the command line says about clients.
struct Settings: Sendable {
    var limits = RequestLimits()
    /// Messages that wait for one subscriber, beside what its connection holds.
    var waitingMessages = 1024
    var slowSubscribers = SlowSubscribers.dropOldest
}
