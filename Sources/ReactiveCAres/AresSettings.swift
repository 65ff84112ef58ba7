// SPDX-License-Identifier: MIT
#if CAres
    public import ReactiveSockets

    /// The settings of an ``AresResolver``.
    public struct AresSettings: Sendable {
        /// The name servers, in the order of use. The default is empty, which means those of ``configurationFile``.
        ///
        /// A server is asked over UDP, and over TCP if its answer is truncated. Each address is an IPv4 or IPv6 address
        /// without a scope.
        public var servers: [SocketAddress] = []
        /// The file with the name servers, search domains and options (resolv.conf(5)). The default is
        /// `/etc/resolv.conf`.
        ///
        /// A changed file is read again at the next look-up. If the file does not exist, the server is 127.0.0.1.
        public var configurationFile = "/etc/resolv.conf"
        /// How long a server may take to answer. The time doubles each time when all servers have been tried.
        ///
        /// The default is `nil`, which means the option `timeout` of the file, or else 5 seconds. A value is rounded up
        /// to milliseconds, and at least 1 millisecond.
        public var timeout: Duration?
        /// How often each server is asked before a look-up fails. The default is `nil`, which means the option
        /// `attempts` of the file, or else 2. A value below 1 counts as 1, and one above 1,000 as 1,000.
        public var tries: Int?
        /// Whether the servers take turns. The default is `nil`, which means the option `rotate` of the file, or else
        /// false: the first server is asked until another one had to answer in its place.
        public var rotatesServers: Bool?
        /// The number of names that are looked up at the same time. The others wait. The default is 128, because the
        /// kernel's receive buffer of 208 KiB has room for that many answers. A value below 1 counts as 1.
        ///
        /// A name whose look-ups have all been cancelled does not count, because c-ares cannot forget its question. In
        /// total, c-ares works on at most four times as many names.
        public var maximumConcurrency = 128
        /// The number of look-ups that may be under way or wait. A further one fails. The default is 16,384.
        public var maximumLookUps = 16_384
        /// The number of addresses that the cache may contain. The default is 4,096. Zero turns the cache off.
        public var cacheCapacity = 4_096
        /// The limits of the time that an answer stays in the cache. Within them, the time is the smallest time to live
        /// (TTL) of the answer's records. The default is zero to one hour, so an answer with a TTL of zero is not
        /// cached.
        public var timeToLive: ClosedRange<Duration> = .zero ... .seconds(3_600)

        /// Creates the default settings.
        public init() {}
    }
#endif
