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
    final class NATSHandle: @unchecked Sendable {
        let link: NATSLink
        private let connection: OpaquePointer
        private let statistics: OpaquePointer?
        private let pool: WorkerPool
        /// So many bytes need no look at the server's limit, which takes a lock: nats.c looks all the same.
        private static let surelyTaken = 4096

        private init(_ connection: OpaquePointer, _ link: NATSLink, _ pool: WorkerPool) {
            self.connection = connection
            self.link = link
            self.pool = pool
            var statistics: OpaquePointer?
            natsStatistics_Create(&statistics)
            self.statistics = statistics
        }

        deinit {
            natsStatistics_Destroy(statistics)
            let connection = Confined(connection)
            pool.execute { [link] in
                natsConnection_Destroy(connection.value)
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
            defer { natsOptions_Destroy(native) }
            var connection: OpaquePointer?
            var status = link.register(with: native)
            if status == NATS_OK { status = natsConnection_Connect(&connection, native) }
            guard status == NATS_OK, let connection else {
                let error = NATSError.library(what, status)
                link.destroyed(neverMade: true)
                throw error
            }
            return NATSHandle(connection, link, pool)
        }

        // MARK: On the loop, while the link is up

        func processRead() { natsConnection_ProcessReadEvent(connection) }

        func processWrite() { natsConnection_ProcessWriteEvent(connection) }

        /// How many messages have come since the beginning.
        var receivedCount: UInt64 {
            var count: UInt64 = 0
            natsConnection_GetStats(connection, statistics)
            natsStatistics_GetCounts(statistics, &count, nil, nil, nil, nil)
            return count
        }

        /// How many bytes wait for the socket.
        var bufferedBytes: Int { max(0, Int(clamping: natsConnection_Buffered(connection))) }

        /// The longest payload that the server takes, as it has said last; nats.c counts in 32 bits.
        private var maximumPayload: Int {
            min(Int(clamping: natsConnection_GetMaxPayload(connection)), Int(clamping: Int32.max))
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
            message.payload.withUnsafeBytes { payload in
                message.subject.withCString { subject in
                    guard let reply = message.reply else {
                        return natsConnection_Publish(connection, subject, payload.baseAddress, count)
                    }
                    return reply.withCString { reply in
                        natsConnection_PublishRequest(connection, subject, reply, payload.baseAddress, count)
                    }
                }
            }
        }

        private func publishWithHeaders(_ message: NATSMessage, _ count: Int32) -> natsStatus {
            var native: OpaquePointer?
            defer { natsMsg_Destroy(native) }
            var status = message.payload.withUnsafeBytes { payload in
                let data = payload.baseAddress?.assumingMemoryBound(to: CChar.self)
                return natsMsg_Create(&native, message.subject, message.reply, data, count)
            }
            for field in message.headers.fields where status == NATS_OK {
                status = natsMsgHeader_Add(native, field.name, field.value)
            }
            return status == NATS_OK ? natsConnection_PublishMsg(connection, native) : status
        }

        func subscribe(_ feed: NATSFeed) throws(NATSError) -> NATSNativeSubscription {
            let (subject, queueGroup) = (feed.subject, feed.queueGroup)
            var subscription: OpaquePointer?
            if let arrivals = feed.arrivals {
                let (status, subscription) = arrivals.subscribe(connection, subject)
                guard status == NATS_OK, let subscription else { throw .library("subscribing to \(subject)", status) }
                return NATSNativeSubscription(subscription, subject, pool, isPulled: false)
            }
            var status =
                if let queueGroup {
                    natsConnection_QueueSubscribeSync(&subscription, connection, subject, queueGroup)
                } else {
                    natsConnection_SubscribeSync(&subscription, connection, subject)
                }
            // The loop takes what has come after each read, and keeps it to limits of its own.
            if status == NATS_OK { status = natsSubscription_SetPendingLimits(subscription, -1, -1) }
            guard status == NATS_OK, let subscription else { throw .library("subscribing to \(subject)", status) }
            return NATSNativeSubscription(subscription, subject, pool)
        }

        // MARK: On the pool

        /// Waits until the server has taken everything given to the connection; whether it has.
        func flush(_ timeout: Duration) -> Bool {
            natsConnection_FlushTimeout(connection, timeout.wholeMilliseconds) == NATS_OK
        }

        /// Ends the connection; what waits goes out first, for half a second at most.
        func close() { natsConnection_Close(connection) }
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
