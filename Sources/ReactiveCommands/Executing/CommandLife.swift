// SPDX-License-Identifier: MIT
import ReactiveSignals

/// The lifetime of a command: it ends when the command, and all that `contramap` has made of it, are released.
///
/// The core may live longer: executions under way retain it, and so do signals and properties.
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
