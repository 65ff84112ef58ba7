public import ReactiveCore

extension Signal {
    /// Makes a signal that runs `work` on `scheduler` for each subscription, sends the result and completes.
    ///
    /// Example: `Signal.perform(on: pool) { try readSettings() }.observe(on: loop)`.
    ///
    /// An error that `work` throws becomes the signal's failure. Events arrive on the scheduler's thread. Disposal
    /// prevents work that has not begun. It does not interrupt work that has begun, but drops the result. During a
    /// pause the result waits (law 11). On a disposed scheduler nothing is sent.
    public static func perform(
        on scheduler: some Scheduler,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) -> Signal {
        Signal { emitter, subscription in
            let unstarted = scheduler.schedule {
                do throws(Failure) {
                    emitter.send(try work())
                    emitter.complete()
                } catch {
                    emitter.fail(error)
                }
            }
            subscription.onDispose { unstarted.dispose() }
        }
    }
}
