// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc
    import ReactiveCore
    import ReactiveSockets

    /// What c-ares has answered to a question.
    struct AresAnswer {
        enum Outcome {
            case found
            /// The name does not exist, or has no address.
            case missing(Int32)
            /// No server has answered usefully.
            case failed(Int32)
            /// There is no channel.
            case refused(AresStatus)
        }

        /// The number of addresses of an answer that are used. A packet has room for 4,000.
        static let addressLimit = 256

        let outcome: Outcome
        /// The best addresses first.
        let addresses: [SocketAddress]
        /// The smallest time to live of the records, in seconds.
        let timeToLive: Int32
        /// The server whose packet completed the answer. `nil` means that no packet was needed, or none has arrived.
        let server: SocketAddress?
        /// Whether a server has not answered in time.
        let hasTimedOut: Bool

        /// Copies an answer. Safe: c-ares owns the list during the call, and an address is copied only if it fits.
        init(_ status: Int32, _ timeouts: Int32, _ list: UnsafePointer<ares_addrinfo>?, from server: SocketAddress?) {
            self.server = server
            hasTimedOut = timeouts > 0
            var (addresses, timeToLive): ([SocketAddress], Int32) = ([], .max)
            var node = unsafe list?.pointee.nodes
            while let entry = unsafe node?.pointee {
                if addresses.count < Self.addressLimit, let address = unsafe Self.address(entry) {
                    addresses.append(address)
                }
                // RFC 2181 section 8: a number with the highest bit counts as zero.
                timeToLive = unsafe min(timeToLive, max(0, entry.ai_ttl))
                unsafe node = entry.ai_next
            }
            var alias = unsafe list?.pointee.cnames
            while let entry = unsafe alias?.pointee {
                timeToLive = unsafe min(timeToLive, max(0, entry.ttl))
                unsafe alias = entry.next
            }
            self.addresses = addresses
            self.timeToLive = timeToLive
            outcome =
                switch status {
                case ARES_SUCCESS: addresses.isEmpty ? .missing(ARES_ENODATA) : .found
                case ARES_ENOTFOUND, ARES_ENODATA: .missing(status)
                default: .failed(status)
                }
        }

        /// Creates the answer to a question that could not be asked.
        init(failing status: AresStatus) {
            (outcome, addresses, timeToLive, server, hasTimedOut) = (.refused(status), [], 0, nil, false)
        }

        private static func address(_ entry: ares_addrinfo_node) -> SocketAddress? {
            guard let source = unsafe entry.ai_addr,
                unsafe entry.ai_addrlen <= socklen_t(MemoryLayout<sockaddr_storage>.size)
            else {
                return nil
            }
            let found = SocketAddress { target, length in
                length = unsafe entry.ai_addrlen
                unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: Int(clamping: length))
                return 0
            }
            return found?.family == .unix ? nil : found
        }

        /// When the answer expires. `nil` means that it must not be cached. c-ares reads the hosts file at every
        /// look-up, so an answer from there is not cached.
        func expiry(_ limits: ClosedRange<Duration>, from now: LoopInstant) -> LoopInstant? {
            guard case .found = outcome, server != nil else { return nil }
            let duration = min(max(.seconds(Int64(timeToLive)), limits.lowerBound), limits.upperBound)
            return duration > .zero ? now + duration : nil
        }

        /// What a look-up of `host` receives. The codes are those of the system's resolver.
        func result(of host: String, _ channel: AresChannel?) -> Result<[SocketAddress], SocketError> {
            let operation = "cannot resolve host \"\(host)\""
            switch outcome {
            case .found: return .success(addresses)
            case .refused(let status): return .failure(.system(operation, status.errno))
            case .failed(ARES_ENOMEM): return .failure(.system(operation, ENOMEM))
            case .failed(let status):
                if let error = channel?.sockets.watchFailure { return .failure(.loop(operation, error)) }
                if status == ARES_ECONNREFUSED, let errno = channel?.sockets.failure {
                    return .failure(.system(operation, errno))
                }
                return .failure(SocketError(.unknownHost, "\(operation): \(AresLibrary.text(status))"))
            case .missing(let status):
                return .failure(SocketError(.unknownHost, "\(operation): \(AresLibrary.text(status))"))
            }
        }
    }
#endif
