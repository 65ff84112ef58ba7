// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// The options after `EXPIRE key seconds`. They restrict when the command applies.
struct ExpireCondition {
    private var options: Set<CommandName> = []

    private static let (nx, xx) = (CommandName("nx"), CommandName("xx"))
    private static let (gt, lt) = (CommandName("gt"), CommandName("lt"))

    init(_ request: Request) throws(CommandFailure) {
        for index in 3..<max(3, request.count) {
            let option = request.option(index)
            guard [Self.nx, Self.xx, Self.gt, Self.lt].contains(option) else {
                throw CommandFailure(
                    Bytes(joining: ["ERR Unsupported option ", request[index].upToNull.withoutLineEnd.oneLine])
                )
            }
            options.insert(option)
        }
        if options.contains(Self.nx), options.count > 1 {
            throw CommandFailure("ERR NX and XX, GT or LT options at the same time are not compatible")
        }
        if options.isSuperset(of: [Self.gt, Self.lt]) {
            throw CommandFailure("ERR GT and LT options at the same time are not compatible")
        }
    }

    /// Whether a key whose remaining time is `old` may get the remaining time `new`. `nil` means that the key does not
    /// expire, and counts as longer than any time.
    func allows(_ old: Duration?, _ new: Duration) -> Bool {
        if options.contains(Self.nx), old != nil { return false }
        if options.contains(Self.xx), old == nil { return false }
        if options.contains(Self.gt) {
            guard let old, new > old else { return false }
        }
        if options.contains(Self.lt), let old, new >= old { return false }
        return true
    }
}
