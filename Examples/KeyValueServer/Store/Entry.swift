import ReactiveCore
import ReactiveSockets

/// What a key has.
struct Entry: Sendable {
    var value: Bytes
    var expiry: Expiry?

    func isAlive(_ clock: any TimedScheduler) -> Bool {
        guard let expiry else { return true }
        return clock.now < expiry.deadline
    }
}

/// When a key goes, and the timer that sees to it.
struct Expiry: Sendable {
    let deadline: LoopInstant
    let timer: any Disposable
}
