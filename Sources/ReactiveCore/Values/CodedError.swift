// SPDX-License-Identifier: MIT
/// An error with a code for programs and a message for people, such as ``LoopError``.
///
/// Two errors of one type are equal if their codes are equal.
public protocol CodedError: Error, Hashable, CustomStringConvertible {
    /// The type of the codes.
    associatedtype Code: Hashable, Sendable

    /// The kind of failure.
    var code: Code { get }

    /// One sentence: what failed, on what, and why.
    var message: String { get }
}

extension CodedError {
    /// Whether the codes are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.code == rhs.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The message.
    public var description: String { message }
}
