// SPDX-License-Identifier: MIT
/// The arguments of `execute(_:order:)`, which say how requests are executed.
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
