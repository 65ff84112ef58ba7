// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Creates a signal that runs `work` on `scheduler` for each subscription, sends the result and completes.
    ///
    /// Example: `Signal.perform(on: pool) { try readSettings() }.observe(on: loop)`.
    ///
    /// An error that `work` throws becomes the signal's failure. Events arrive on the scheduler's thread. If the
    /// subscription is disposed before `work` begins, `work` does not run. A later disposal drops the result and does
    /// not interrupt `work`. During a pause `work` runs, and the result waits ([law 11](doc:LawsOfSignals)). On a
    /// disposed scheduler nothing is sent, not even a termination.
    public static func perform(
        on scheduler: some Scheduler,
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) -> Signal {
        Signal { emitter, subscription in
            let unstarted = subscription.carrying(scheduler as any Scheduler).schedule {
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
