import ReactiveCore
import ReactiveSockets

/// What a key has.
struct Entry: Sendable {
    var value: Bytes
    var expiry: Expiry?

    func isAlive(_ clock: any TimedScheduler) -> Bool {
        guard let expiry else { return true }
        return expiry.left(at: clock.now) > .zero
    }
}

/// When a key expires, and the timer that removes it.
///
/// A client may ask for more time than a loop's instant can say, so this is a duration and the instant that it counts from.
struct Expiry: Sendable {
    let delay: Duration
    let begin: LoopInstant
    /// There is none where the time is longer than any process lasts.
    let timer: (any Disposable)?

    func left(at now: LoopInstant) -> Duration { delay - (now - begin) }
}
