// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc
    import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport

    /// The sockets of a channel. c-ares opens, uses and closes them through these functions, for several reasons:
    ///
    /// - The error number of a socket that cannot be opened is known (rule E4).
    /// - A write never raises `SIGPIPE` (rule G1), and a full send buffer counts as a lost packet.
    /// - The number of reads per turn is limited (rule S9), and an empty datagram is ignored.
    /// - The number of sockets that sort addresses is limited. c-ares opens one for each address of an answer.
    /// - The server that has answered is known.
    struct AresSockets {
        private var open: [Int32: Entry] = [:]
        /// The error number of the last attempt to open a socket, or nil if it succeeded.
        private(set) var failure: Int32?
        /// The error of a loop that refuses to watch a socket.
        private(set) var watchFailure: LoopError?
        /// The server whose packet c-ares handles now.
        private(set) var answering: SocketAddress?
        private var readsLeft = 0
        /// The number of sockets that c-ares may still open in this call to sort addresses.
        private var probesLeft = 0
        private var hasSent = false
        private unowned let core: AresCore

        private struct Entry {
            let isDatagram: Bool
            var server: SocketAddress?
            var watch: (any DescriptorWatch)?
        }

        /// The number of probes in one turn. A packet is read only while at least half of them are left, so each answer
        /// can use at least that many.
        static let probesPerTurn = 256

        init(_ core: AresCore) { self.core = core }

        /// Prepares for a call of c-ares.
        mutating func beginCall(maximumReads: Int) {
            readsLeft = maximumReads
            probesLeft = Self.probesPerTurn
            answering = nil
        }

        /// Returns whether c-ares has sent anything since the last query.
        mutating func takeHasSent() -> Bool {
            defer { hasSent = false }
            return hasSent
        }

        // MARK: Functions of c-ares. They set `errno`, as system calls do.

        mutating func make(_ domain: Int32, _ type: Int32, _ proto: Int32) -> Int32 {
            // c-ares names the protocol only for a probe: a socket that it connects to learn the source address of an
            // address (RFC 6724). After this error, it sorts the address behind the others.
            if type == Int32(SOCK_DGRAM.rawValue), proto == Int32(IPPROTO_UDP) {
                guard probesLeft > 0 else {
                    errno = EAFNOSUPPORT
                    return -1
                }
                probesLeft -= 1
            }
            let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(domain, type | flags, proto)
            failure = descriptor < 0 ? errno : nil
            if descriptor >= 0 { open[descriptor] = Entry(isDatagram: type == Int32(SOCK_DGRAM.rawValue)) }
            return descriptor
        }

        mutating func close(_ descriptor: Int32) -> Int32 {
            let entry = open.removeValue(forKey: descriptor)
            entry?.watch?.dispose()
            return Glibc.close(descriptor)
        }

        mutating func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
            open[descriptor]?.server = SocketAddress { target, count in
                count = min(count, length)
                unsafe UnsafeMutableRawPointer(target).copyMemory(from: address, byteCount: Int(clamping: count))
                return 0
            }
            return unsafe Glibc.connect(descriptor, address, length)
        }

        mutating func receive(
            _ descriptor: Int32,
            _ memory: UnsafeMutableRawPointer?,
            _ count: Int,
            _ peer: UnsafeMutablePointer<sockaddr>?,
            _ length: UnsafeMutablePointer<socklen_t>?
        ) -> Int {
            let entry = open[descriptor]
            while readsLeft > 0, probesLeft >= Self.probesPerTurn / 2 {
                let result = unsafe recvfrom(descriptor, memory, count, 0, peer, length)
                if result < 0, errno == EINTR { continue }
                readsLeft -= 1
                // c-ares would take an empty datagram for the end of the server.
                if result == 0, entry?.isDatagram == true { continue }
                if result > 0 { answering = entry?.server }
                return result
            }
            errno = EAGAIN
            return -1
        }

        mutating func send(_ descriptor: Int32, _ vectors: UnsafePointer<iovec>?, _ count: Int32) -> Int {
            hasSent = true
            var message = unsafe msghdr()
            unsafe message.msg_iov = UnsafeMutablePointer(mutating: vectors)
            // The system's limit (IOV_MAX). c-ares sends the rest later.
            unsafe message.msg_iovlen = min(Int(clamping: count), 1024)
            while true {
                let result = unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                if result >= 0 { return result }
                if errno == EINTR { continue }
                guard open[descriptor]?.isDatagram == true, errno == EAGAIN || SocketError.isExhaustion(errno) else {
                    return -1
                }
                // The network may lose the packet too. c-ares sends it again when the time limit has passed.
                return unsafe UnsafeBufferPointer(start: vectors, count: Int(clamping: count))
                    .reduce(0) { unsafe $0 + $1.iov_len }
            }
        }

        /// Changes what the loop watches a socket for.
        mutating func watch(_ descriptor: Int32, _ interest: Readiness, _ channel: AresChannel) {
            guard let entry = open[descriptor] else { return }
            if interest.isEmpty {
                open[descriptor]?.watch = nil
                entry.watch?.dispose()
                return
            }
            do throws(LoopError) {
                if let watch = entry.watch { return try watch.setInterest(interest) }
                let (core, confined) = (UnsafeTransfer(core), UnsafeTransfer(channel))
                open[descriptor]?.watch = try core.value.loop.watch(descriptor, for: interest) { readiness in
                    core.value.ready(confined.value, descriptor, readiness)
                }
            } catch {
                watchFailure = error
            }
        }

        // Safe: the last argument of each function is the channel, which exists during the call. The memory belongs to
        // c-ares, and is valid during the call.

        static var functions: ares_socket_functions {
            unsafe ares_socket_functions(
                asocket: { domain, type, proto, channel in
                    unsafe AresSockets.change(channel) { $0.make(domain, type, proto) }
                },
                aclose: { descriptor, channel in
                    unsafe AresSockets.change(channel) { $0.close(descriptor) }
                },
                aconnect: { descriptor, address, length, channel in
                    guard let address = unsafe address else { return -1 }
                    return unsafe AresSockets.change(channel) { unsafe $0.connect(descriptor, address, length) }
                },
                arecvfrom: { descriptor, memory, count, _, peer, length, channel in
                    unsafe AresSockets.change(channel) { unsafe $0.receive(descriptor, memory, count, peer, length) }
                },
                asendv: { descriptor, vectors, count, channel in
                    unsafe AresSockets.change(channel) { unsafe $0.send(descriptor, vectors, count) }
                }
            )
        }

        /// The callback that says what c-ares waits for.
        static let watch: ares_sock_state_cb = { channel, descriptor, isReading, isWriting in
            guard let channel = unsafe channel else { return }
            let interest = (isReading != 0 ? Readiness.read : []).union(isWriting != 0 ? .write : [])
            let owner = unsafe Unmanaged<AresChannel>.fromOpaque(channel).takeUnretainedValue()
            owner.sockets.watch(descriptor, interest, owner)
        }

        private static func change<Result: FixedWidthInteger>(
            _ channel: UnsafeMutableRawPointer?,
            _ body: (inout AresSockets) -> Result
        ) -> Result {
            guard let channel = unsafe channel else { return -1 }
            return unsafe body(&Unmanaged<AresChannel>.fromOpaque(channel).takeUnretainedValue().sockets)
        }
    }
#endif
