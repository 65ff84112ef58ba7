/// How requests are executed: what the callers of `execute(_:order:)` say.
@usableFromInline
struct ReplySettings: Sendable {
    @usableFromInline
    let order: ReplyOrder
    @usableFromInline
    let limit: Int
    @usableFromInline
    let whenFull: RequestPolicy
    @usableFromInline
    let whenDisposed: DisposalPolicy

    @usableFromInline
    init(_ order: ReplyOrder, _ limit: Int, _ whenFull: RequestPolicy, _ whenDisposed: DisposalPolicy) {
        self.order = order
        self.limit = max(1, limit)
        self.whenFull = whenFull
        self.whenDisposed = whenDisposed
    }
}
