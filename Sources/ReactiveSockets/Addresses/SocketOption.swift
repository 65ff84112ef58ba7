// SPDX-License-Identifier: MIT
/// A socket option: `noDelay`, `sendBufferSize`, or any other option whose value is an `int`.
///
/// Pass settings when you create a socket: `options: [SocketOption.noDelay(false)]`. Later, use the socket's
/// `setOption(_:)` and `option(_:)`. The system may change a value: Linux doubles buffer sizes (socket(7)). It may
/// refuse an option that this kind of socket does not support.
public struct SocketOption<Value: Sendable>: Sendable {
    /// The protocol level: `SOL_SOCKET`, `IPPROTO_TCP`, …
    public let level: Int32
    /// The option's number: `SO_KEEPALIVE`, …
    public let name: Int32
    let toSystem: @Sendable (Value) -> Int32
    let fromSystem: @Sendable (Int32) -> Value

    /// Pairs the option with a value, ready to be set.
    public func callAsFunction(_ value: Value) -> SocketSetting {
        SocketSetting(level: level, name: name, value: toSystem(value))
    }
}

extension SocketOption where Value == Bool {
    /// Creates an option that is on or off: 1 or 0. Any value other than 0 is read as true.
    ///
    /// - Parameters:
    ///   - name: The option's number, such as `SO_KEEPALIVE`.
    ///   - level: The protocol level, such as `SOL_SOCKET`.
    public init(flag name: Int32, level: Int32) {
        self.init(level: level, name: name, toSystem: { $0 ? 1 : 0 }, fromSystem: { $0 != 0 })
    }
}

extension SocketOption where Value == Int {
    /// Creates an option that is a number. A value outside the range of an `int` is clamped.
    ///
    /// - Parameters:
    ///   - name: The option's number, such as `SO_SNDBUF`.
    ///   - level: The protocol level, such as `SOL_SOCKET`.
    public init(number name: Int32, level: Int32) {
        self.init(level: level, name: name, toSystem: { Int32(clamping: $0) }, fromSystem: { Int($0) })
    }
}

/// An option and its value, ready to be set. ``SocketOption/callAsFunction(_:)`` creates it.
public struct SocketSetting: Sendable, Hashable {
    /// The protocol level.
    public let level: Int32
    /// The option's number.
    public let name: Int32
    /// The value that is passed to `setsockopt`.
    public let value: Int32
}
