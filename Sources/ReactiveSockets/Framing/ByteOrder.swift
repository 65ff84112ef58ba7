// SPDX-License-Identifier: MIT
/// The order of an integer's bytes on the wire.
public enum ByteOrder: Sendable, Hashable {
    /// The most significant byte first, which is network byte order.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
}
