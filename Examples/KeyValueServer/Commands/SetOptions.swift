import ReactiveCore
import ReactiveSockets

/// What may stand behind `SET key value`.
struct SetOptions {
    private var requiresKey: Bool?
    private var keepsDeadline = false
    private var givesOldValue = false
    private var delay: Duration?

    private static let (nx, xx, get) = (CommandName("nx"), CommandName("xx"), CommandName("get"))
    private static let (ex, px, keepTTL) = (CommandName("ex"), CommandName("px"), CommandName("keepttl"))

    init(_ request: Request) throws(CommandFailure) {
        var index = 3
        while index < request.count {
            let option = request.option(index)
            switch option {
            case Self.nx where requiresKey != true: requiresKey = false
            case Self.xx where requiresKey != false: requiresKey = true
            case Self.get: givesOldValue = true
            case Self.keepTTL where delay == nil: keepsDeadline = true
            case Self.ex where index + 1 < request.count && delay == nil && !keepsDeadline,
                Self.px where index + 1 < request.count && delay == nil && !keepsDeadline:
                index += 1
                let unit = option == Self.ex ? ExpireTime.Unit.seconds : .milliseconds
                let milliseconds = try ExpireTime.milliseconds(request.integer(index), unit, for: "set")
                if milliseconds <= 0 { throw .invalidExpireTime("set") }
                delay = .milliseconds(milliseconds)
            default: throw .syntax
            }
            index += 1
        }
    }

    func apply(_ key: Bytes, _ value: Bytes, to store: Store) -> Reply {
        let old = store.value(of: key)
        if let requiresKey, requiresKey != (old != nil) { return givesOldValue ? Reply(old) : .null }
        if keepsDeadline { store.change(key, to: value) } else { store.set(key, to: value) }
        if let delay { _ = store.expire(key, after: delay) }
        return givesOldValue ? Reply(old) : .ok
    }
}
