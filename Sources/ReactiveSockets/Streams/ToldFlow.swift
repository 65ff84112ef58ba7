import ReactiveSignals
import Synchronization

/// Whether a subscription is paused, as far as its source has been told: what a source may rest on.
///
/// Being told comes from any thread, in order; what a loop makes of it comes later, as work that may overtake other such
/// work. So the work carries no answer: it looks here. And a source does not rest on a pause that it has only seen: what has
/// not been said is not taken back either, and it would rest for good.
final class ToldFlow: Sendable {
    private let told = Atomic<Bool>(false)

    var isPaused: Bool { told.load(ordering: .acquiring) }

    /// Listens to `subscription`, and calls `changed` after every change; at once if it is paused now.
    func follow(_ subscription: SignalSubscription, _ changed: @escaping @Sendable () -> Void) {
        subscription.onFlowChange { [self] isPaused in
            told.store(isPaused, ordering: .releasing)
            changed()
        }
    }
}
