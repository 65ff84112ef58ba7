public import ReactiveCore

extension Signal {
    /// Makes a signal that does `work` on `scheduler` for each subscription, sends what it returns and completes, or fails
    /// with what it throws: `Signal.perform(on: pool) { try readSettings() }.observe(on: loop)`.
    ///
    /// It sends on the scheduler's thread. Disposed before `work` has begun, it never begins; work that has begun is not
    /// interrupted, and its result is dropped. Paused, the result waits (law 11). On a scheduler that is over nothing comes.
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
