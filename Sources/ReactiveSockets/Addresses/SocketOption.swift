/// An option of a socket, by name: `noDelay`, `sendBufferSize`, or any other of the system's that is an `int`.
///
/// Set it when you make a socket, `options: [SocketOption.noDelay(false)]`, or later with the socket's `setOption(_:)`. Read it with
/// `option(.noDelay)`. The system may change a value: Linux doubles buffer sizes (socket(7)).
public struct SocketOption<Value: Sendable>: Sendable {
    /// The system's level: `SOL_SOCKET`, `IPPROTO_TCP`, …
    public let level: Int32
    /// The system's name for it: `SO_KEEPALIVE`, …
    public let name: Int32
    let toSystem: @Sendable (Value) -> Int32
    let fromSystem: @Sendable (Int32) -> Value

    /// The option set to a value.
    public func callAsFunction(_ value: Value) -> SocketSetting {
        SocketSetting(level: level, name: name, value: toSystem(value))
    }
}

extension SocketOption where Value == Bool {
    /// Any option of the system's that is on or off.
    public init(flag name: Int32, level: Int32) {
        self.init(level: level, name: name, toSystem: { $0 ? 1 : 0 }, fromSystem: { $0 != 0 })
    }
}

extension SocketOption where Value == Int {
    /// Any option of the system's that is a number. A value that an `int` cannot hold counts as the nearest that it can.
    public init(number name: Int32, level: Int32) {
        self.init(level: level, name: name, toSystem: { Int32(clamping: $0) }, fromSystem: { Int($0) })
    }
}

/// An option and its value.
public struct SocketSetting: Sendable, Hashable {
    /// The system's level.
    public let level: Int32
    /// The system's name for the option.
    public let name: Int32
    /// The value as the system takes it.
    public let value: Int32
}
