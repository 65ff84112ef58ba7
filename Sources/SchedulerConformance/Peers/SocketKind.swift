// SPDX-License-Identifier: MIT
import Glibc

/// The kind of data that a socket transports.
package enum SocketKind: CaseIterable, Sendable {
    case stream, datagram, sequencedPacket

    /// The system's number for the kind.
    package var number: Int32 {
        switch self {
        case .stream: Int32(SOCK_STREAM.rawValue)
        case .datagram: Int32(SOCK_DGRAM.rawValue)
        case .sequencedPacket: Int32(SOCK_SEQPACKET.rawValue)
        }
    }
}
