import Glibc

// Safe: as for the other calls of a socket.
extension SystemSocket {
    /// Receives one datagram: how long it is, which may be more than there was room for, and who has sent it.
    func receiveDatagram(_ memory: UnsafeMutableRawBufferPointer) -> (outcome: Outcome, peer: SocketAddress?) {
        var received = Outcome.wouldBlock
        let peer = SocketAddress { address, length in
            received = outcome {
                unsafe recvfrom(descriptor, memory.baseAddress, memory.count, Int32(MSG_TRUNC), address, &length)
            }
            if case .count = received { return 0 }
            return -1
        }
        return (received, peer)
    }

    /// How long the next datagram is; 0 where there is none, or the system does not say.
    var nextDatagramCount: Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Sends one datagram: to `peer`, or to whom the socket is connected to.
    func send(_ bytes: Bytes, to peer: SocketAddress?) -> Outcome {
        unsafe bytes.withUnsafeBytes { memory in
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
    /// What the network may have reported on an earlier datagram, or what passes: the socket goes on.
    static func isReport(_ errno: Int32) -> Bool {
        switch errno {
        case ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, ENONET, EPROTO, ENOPROTOOPT,
            EOPNOTSUPP, EMSGSIZE, EACCES, EPERM, ETIMEDOUT, ENOBUFS, ENOMEM:
            true
        default: false
        }
    }
}
