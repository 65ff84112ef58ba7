// SPDX-License-Identifier: MIT
import ReactiveSignals

/// Ends a command when its last reference is released. References to commands that `contramap` derives from it count
/// too.
///
/// The core may live longer: executions under way, signals and properties retain it.
@usableFromInline
final class CommandLife: Sendable {
    let lifetime = Lifetime()
    private let onEnd: @Sendable (DisposalPolicy) -> Void

    init(_ onEnd: @escaping @Sendable (DisposalPolicy) -> Void) {
        self.onEnd = onEnd
    }

    deinit { end(.finish) }

    func end(_ policy: DisposalPolicy) {
        onEnd(policy)
        lifetime.end()
    }
}
