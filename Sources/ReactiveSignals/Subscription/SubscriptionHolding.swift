// SPDX-License-Identifier: MIT
/// A subscription that also stores state of its owner: one object instead of two.
///
/// `@unchecked Sendable` is safe: the superclass is `Sendable`, `home` is constant, and the owner uses `content` on one
/// loop or in one delivery context only.
package final class SubscriptionHolding<Home: Sendable, Content>: SignalSubscription, @unchecked Sendable {
    /// The context that `content` belongs to. Any thread may read it.
    package let home: Home
    @safe @exclusivity(unchecked)
    package var content: Content

    package init(_ home: Home, _ content: Content) {
        self.home = home
        self.content = content
        super.init()
    }
}
