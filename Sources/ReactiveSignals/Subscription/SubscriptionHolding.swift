// SPDX-License-Identifier: MIT
/// A subscription that also stores state of its owner: one object instead of two.
///
/// `@unchecked Sendable` is safe: the superclass is `Sendable`, `home` is constant, and `content` belongs to one loop
/// or one delivery context, which the owner defines.
package final class SubscriptionHolding<Home: Sendable, Content>: SignalSubscription, @unchecked Sendable {
    /// Where `content` belongs. Any thread may read it.
    package let home: Home
    @safe @exclusivity(unchecked)
    package var content: Content

    package init(_ home: Home, _ content: Content) {
        self.home = home
        self.content = content
        super.init()
    }
}
