// SPDX-License-Identifier: MIT
import Glibc

/// What a socket carries.
package enum SocketKind: CaseIterable, Sendable {
    case stream, datagram, sequencedPacket

    /// The kind as the system numbers it.
    package var number: Int32 {
        switch self {
        case .stream: Int32(SOCK_STREAM.rawValue)
        case .datagram: Int32(SOCK_DGRAM.rawValue)
        case .sequencedPacket: Int32(SOCK_SEQPACKET.rawValue)
        }
    }
}
