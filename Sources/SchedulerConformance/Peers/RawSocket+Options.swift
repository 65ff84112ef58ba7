// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension RawSocket {
    package static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        if let machine = Platform.simulated {
            Descriptor.checked(machine.setOption(descriptor, level: level, name: option, value: value))
            return
        }
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The option's value, or `nil` if the descriptor has no such option.
    package static func option(_ descriptor: Int32, _ level: Int32, _ option: Int32) -> Int32? {
        if let machine = Platform.simulated {
            let (code, value) = machine.option(descriptor, level: level, name: option)
            return code == 0 ? value : nil
        }
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, level, option, &value, &length) == 0 ? value : nil
    }

    package static func hasNoDelay(_ descriptor: Int32) -> Bool {
        option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) ?? 0 != 0
    }

    package static func setSendBuffer(_ descriptor: Int32, _ size: Int32) {
        set(descriptor, SOL_SOCKET, SO_SNDBUF, size)
    }

    /// The socket's pending error, which this call clears.
    static func takeError(of descriptor: Int32) -> Int32 { option(descriptor, SOL_SOCKET, SO_ERROR) ?? -1 }

    /// Makes a TCP socket send small messages immediately, without waiting for acknowledgements.
    static func sendWithoutDelay(_ descriptor: Int32) { set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }

    /// Makes a blocking `recv(2)` fail with `EAGAIN` after this time. Does nothing on a simulated machine, where no call
    /// blocks.
    static func limitReceiving(_ descriptor: Int32, seconds: Int) {
        if Platform.simulated != nil { return }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Makes a later close of the socket reset its connection.
    static func resetOnClose(_ descriptor: Int32) {
        if let machine = Platform.simulated {
            Descriptor.checked(machine.setZeroLinger(descriptor))
            return
        }
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
