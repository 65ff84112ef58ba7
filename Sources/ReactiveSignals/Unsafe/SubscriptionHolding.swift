/// A subscription with what its maker has to remember of it inside: one object instead of two.
///
/// Why `@unchecked Sendable` is right: the class it is made of is so, and `content` belongs to the one loop, or to the one delivery
/// context, that its maker says.
package final class SubscriptionHolding<Content>: SignalSubscription, @unchecked Sendable {
    @exclusivity(unchecked)
    package var content: Content

    package init(_ content: Content) {
        self.content = content
        super.init()
    }
}
