/// A subscription with what its maker has to remember of it inside: one object instead of two.
///
/// Why `@unchecked Sendable` is right: the class it is made of is so, `home` is constant, and `content` belongs to the one loop, or to the
/// one delivery context, that its maker says.
package final class SubscriptionHolding<Home: Sendable, Content>: SignalSubscription, @unchecked Sendable {
    /// For any thread: where the content is at home.
    package let home: Home
    @safe @exclusivity(unchecked)
    package var content: Content

    package init(_ home: Home, _ content: Content) {
        self.home = home
        self.content = content
        super.init()
    }
}
