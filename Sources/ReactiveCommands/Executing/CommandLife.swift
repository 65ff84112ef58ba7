import ReactiveSignals

/// How long a command lasts: until it, and all that `contramap` has made of it, are let go of.
///
/// The core may live longer: what is under way keeps it, and so do signals and properties.
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
