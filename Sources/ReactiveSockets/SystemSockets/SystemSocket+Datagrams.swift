// SPDX-License-Identifier: MIT
import Glibc

// Safe: as in the other calls of a socket.
extension SystemSocket {
    /// Receives one datagram. The count is its full length, which may exceed the size of `memory`. The peer is the
    /// sender.
    func receiveDatagram(_ memory: UnsafeMutableRawBufferPointer) -> (outcome: Outcome, peer: SocketAddress?) {
        if let simulated {
            let (result, peer) = unsafe simulated.receiveDatagram(descriptor, memory)
            return (Outcome(result: result), peer)
        }
        return unsafe withPeer { address, length in
            unsafe recvfrom(descriptor, memory.baseAddress, memory.count, Int32(MSG_TRUNC), address, &length)
        }
    }

    /// Sends one datagram to `peer`. `nil` means the connected peer.
    func send(_ bytes: Bytes, to peer: SocketAddress?) -> Outcome {
        unsafe bytes.withUnsafeBytes { memory in
            if let simulated {
                return unsafe Outcome(result: simulated.sendDatagram(descriptor, memory, to: peer))
            }
            guard let peer else { return unsafe send(memory) }
            return peer.withSockaddr { address, length in
                outcome {
                    unsafe sendto(descriptor, memory.baseAddress, memory.count, Int32(MSG_NOSIGNAL), address, length)
                }
            }
        }
    }
}

extension SocketError {
    /// Whether an error concerns one datagram, or is transient. If so, the socket stays open.
    static func leavesSocketOpen(_ errno: Int32) -> Bool {
        switch errno {
        case ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENONET, EPROTO, ENOPROTOOPT,
            EOPNOTSUPP, EMSGSIZE, EACCES, EPERM, ETIMEDOUT, ENOBUFS, ENOMEM:
            true
        default: false
        }
    }
}
