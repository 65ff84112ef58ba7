/// What a descriptor is, or is to be, ready for.
public struct Readiness: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8

    /// The bits 1 for ``read`` and 2 for ``write``. All others have no meaning and are dropped.
    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 3
    }

    /// A read would not block: there is data, or the end, or an error to collect.
    @inlinable
    public static var read: Readiness { Readiness(rawValue: 1) }
    /// A write would not block: there is room, or an error to collect.
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
