#if NATS
    import CNats
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A connection of nats.c's, and the one who owns it.
    ///
    /// Why `@unchecked Sendable` is right: nats.c's connections may be used by any thread, and the pointers do not change. The
    /// statistics are read on the loop only. Destroying waits for threads of nats.c's, so it is done on the pool.
    ///
    /// Safe: this object owns the connection and the statistics. nats.c copies the strings and the payloads that it gets.
    @safe
    final class NATSHandle: @unchecked Sendable {
        let link: NATSLink
        private let connection: OpaquePointer
        private let statistics: OpaquePointer?
        private let pool: WorkerPool
        /// So many bytes need no look at the server's limit, which takes a lock: nats.c looks all the same.
        private static let surelyTaken = 4096

        private init(_ connection: OpaquePointer, _ link: NATSLink, _ pool: WorkerPool) {
            unsafe self.connection = connection
            self.link = link
            self.pool = pool
            var statistics: OpaquePointer?
            unsafe natsStatistics_Create(&statistics)
            unsafe self.statistics = statistics
        }

        deinit {
            unsafe natsStatistics_Destroy(statistics)
            let connection = unsafe UnsafeTransfer(connection)
            pool.execute { [link] in
                unsafe natsConnection_Destroy(connection.value)
                link.destroyed()
            }
        }

        /// Connects; it waits for the server, so it is called on the pool.
        static func connect(
            to servers: [String],
            _ options: NATSOptions,
            _ link: NATSLink,
            _ pool: WorkerPool
        ) throws(NATSError) -> NATSHandle {
            let what = "connecting to \(servers.joined(separator: ", "))"
            let native = try options.makeNative(servers)
            defer { native.destroy() }
            var connection: OpaquePointer?
            var status = link.register(with: native)
            if status == NATS_OK { status = unsafe natsConnection_Connect(&connection, native.pointer) }
            guard status == NATS_OK, let connection = unsafe connection else {
                let error = NATSError.library(what, status)
                link.destroyed(neverMade: true)
                throw error
            }
            return unsafe NATSHandle(connection, link, pool)
        }

        // MARK: On the loop, while the link is up

        func processRead() { unsafe natsConnection_ProcessReadEvent(connection) }

        func processWrite() { unsafe natsConnection_ProcessWriteEvent(connection) }

        /// How many messages have come since the beginning.
        var receivedCount: UInt64 {
            var count: UInt64 = 0
            unsafe natsConnection_GetStats(connection, statistics)
            unsafe natsStatistics_GetCounts(statistics, &count, nil, nil, nil, nil)
            return count
        }

        /// How many bytes wait for the socket.
        var bufferedBytes: Int { unsafe max(0, Int(clamping: natsConnection_Buffered(connection))) }

        /// The longest payload that the server takes, as it has said last; nats.c counts in 32 bits.
        private var maximumPayload: Int {
            unsafe min(Int(clamping: natsConnection_GetMaxPayload(connection)), Int(clamping: Int32.max))
        }

        /// Gives a message to the connection, which has been found valid.
        func publish(_ message: NATSMessage) throws(NATSError) {
            let size = message.payload.count
            // nats.c checks the size too, but adds that of the headers first, in 32 bits.
            guard size <= Self.surelyTaken || size <= maximumPayload, let count = Int32(exactly: size),
                Int32(exactly: size + message.headers.encodedSize) != nil
            else {
                let why = "publishing to \(message.subject): \(size) bytes, the server takes \(maximumPayload)"
                throw NATSError(.messageTooLarge, why)
            }
            let status =
                message.headers.isEmpty ? publishPlain(message, count) : publishWithHeaders(message, count)
            if status != NATS_OK { throw .library("publishing to \(message.subject)", status) }
        }

        private func publishPlain(_ message: NATSMessage, _ count: Int32) -> natsStatus {
            unsafe message.payload.withUnsafeBytes { payload in
                unsafe message.subject.withCString { subject in
                    guard let reply = message.reply else {
                        return unsafe natsConnection_Publish(connection, subject, payload.baseAddress, count)
                    }
                    return unsafe reply.withCString { reply in
                        unsafe natsConnection_PublishRequest(connection, subject, reply, payload.baseAddress, count)
                    }
                }
            }
        }

        private func publishWithHeaders(_ message: NATSMessage, _ count: Int32) -> natsStatus {
            var native: OpaquePointer?
            defer { unsafe natsMsg_Destroy(native) }
            var status = unsafe message.payload.withUnsafeBytes { payload in
                let data = unsafe payload.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe natsMsg_Create(&native, message.subject, message.reply, data, count)
            }
            for field in message.headers.fields where status == NATS_OK {
                status = unsafe natsMsgHeader_Add(native, field.name, field.value)
            }
            return unsafe status == NATS_OK ? natsConnection_PublishMsg(connection, native) : status
        }

        func subscribe(_ feed: NATSFeed) throws(NATSError) -> NATSNativeSubscription {
            let (subject, queueGroup) = (feed.subject, feed.queueGroup)
            var subscription: OpaquePointer?
            if let arrivals = feed.arrivals {
                let (status, subscription) = unsafe arrivals.subscribe(connection, subject)
                guard status == NATS_OK, let subscription = unsafe subscription else {
                    throw .library("subscribing to \(subject)", status)
                }
                return unsafe NATSNativeSubscription(subscription, subject, pool, isPulled: false)
            }
            var status =
                if let queueGroup {
                    unsafe natsConnection_QueueSubscribeSync(&subscription, connection, subject, queueGroup)
                } else {
                    unsafe natsConnection_SubscribeSync(&subscription, connection, subject)
                }
            // The loop takes what has come after each read, and keeps it to limits of its own.
            if status == NATS_OK { status = unsafe natsSubscription_SetPendingLimits(subscription, -1, -1) }
            guard status == NATS_OK, let subscription = unsafe subscription else {
                throw .library("subscribing to \(subject)", status)
            }
            return unsafe NATSNativeSubscription(subscription, subject, pool)
        }

        // MARK: On the pool

        /// Waits until the server has taken everything given to the connection; whether it has.
        func flush(_ timeout: Duration) -> Bool {
            unsafe natsConnection_FlushTimeout(connection, timeout.wholeMilliseconds) == NATS_OK
        }

        /// Ends the connection; what waits goes out first, for half a second at most.
        func close() { unsafe natsConnection_Close(connection) }
    }

    extension NATSHeaders {
        /// At least as many bytes as they have on the way: a first line, and a colon, a blank and a line's end for each.
        fileprivate var encodedSize: Int {
            fields.reduce(16) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }
    }

    extension Duration {
        /// What nats.c counts in; at least one, and what is longer than it takes is cut.
        var wholeMilliseconds: Int64 {
            let milliseconds = saturatedNanoseconds / 1_000_000
            return max(1, min(milliseconds, Int64(clamping: Int32.max)))
        }
    }
#endif
