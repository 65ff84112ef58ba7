// SPDX-License-Identifier: MIT
/// The operations for which a descriptor is ready, or for which it is watched.
public struct Readiness: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8

    /// Creates a set from bits: 1 is ``read`` and 2 is ``write``. Ignores other bits.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 3
    }

    /// A read would not block: it returns data, end of stream or an error.
    @inlinable
    public static var read: Readiness { Readiness(rawValue: 1) }
    /// A write would not block: the send buffer has room, or the write returns an error.
    @inlinable
    public static var write: Readiness { Readiness(rawValue: 2) }

    public var description: String {
        switch self {
        case [.read, .write]: "read+write"
        case .read: "read"
        case .write: "write"
        default: "nothing"
        }
    }
}
