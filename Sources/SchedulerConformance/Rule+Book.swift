extension Rule {
    /// The rule book (Docs/Contract.md), in its order.
    public static let all: [Rule] = [
        OrderRules.all
    ].flatMap { $0 }
}
