// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// The options of `SET key value`.
struct SetOptions {
    private var requiresKey: Bool?
    private var keepsDeadline = false
    private var givesOldValue = false
    private var unit: ExpireTime.Unit?
    private var time: Int?

    private static let (nx, xx, get) = (CommandName("nx"), CommandName("xx"), CommandName("get"))
    private static let keepTTL = CommandName("keepttl")
    private static let units: [CommandName: ExpireTime.Unit] = [
        CommandName("ex"): .seconds, CommandName("px"): .milliseconds,
        CommandName("exat"): .secondsSinceEpoch, CommandName("pxat"): .millisecondsSinceEpoch,
    ]

    /// Reads all options before the time, because a syntax error takes precedence.
    ///
    /// - Throws: The error of Redis for invalid options or an invalid time.
    init(_ request: Request) throws(CommandFailure) {
        var index = 3
        var word: Int?
        while index < request.count {
            let option = request.option(index)
            switch option {
            case Self.nx where requiresKey != true: requiresKey = false
            case Self.xx where requiresKey != false: requiresKey = true
            case Self.get: givesOldValue = true
            case Self.keepTTL where unit == nil: keepsDeadline = true
            default:
                // A unit may be repeated. The last time counts.
                guard let named = Self.units[option], unit ?? named == named, !keepsDeadline,
                    index + 1 < request.count
                else { throw .syntax }
                unit = named
                index += 1
                word = index
            }
            index += 1
        }
        if let word, let unit {
            let number = try request.integer(word)
            if number <= 0 { throw .invalidExpireTime("set") }
            time = try ExpireTime.milliseconds(number, unit, for: "set")
        }
    }

    func apply(_ key: Bytes, _ value: Bytes, to store: Store) -> Reply {
        let old = store.value(of: key)
        if let requiresKey, requiresKey != (old != nil) { return givesOldValue ? Reply(old) : .null }
        if keepsDeadline { store.change(key, to: value) } else { store.set(key, to: value) }
        if let time { _ = store.expire(key, after: .milliseconds(time)) }
        return givesOldValue ? Reply(old) : .ok
    }
}
