// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The owner of a connection of nats.c.
    ///
    /// Why `@unchecked Sendable` is correct: any thread may use a connection of nats.c, and the pointers are constant.
    /// The statistics are read on the loop only. Destroying a connection waits for threads of nats.c, so a thread of
    /// the pool destroys it.
    ///
    /// Safe: this object owns the connection and the statistics. nats.c copies the strings and payloads that it
    /// receives.
    @safe
    final class NATSHandle: @unchecked Sendable {
        let link: NATSLink
        private let connection: OpaquePointer
        private let statistics: OpaquePointer?
        private let pool: WorkerPool
        /// A payload of at most this size is not checked here, because reading the server's limit takes a lock. nats.c
        /// checks it.
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

        /// Connects to a server. The call blocks, so a thread of the pool makes it. The certificate must contain `host`,
        /// unless the options state another name.
        static func connect(
            to servers: [String],
            as host: String?,
            _ options: NATSOptions,
            _ link: NATSLink,
            _ pool: WorkerPool
        ) throws(NATSError) -> NATSHandle {
            let what = "connecting to \(servers.joined(separator: ", "))"
            let native = try options.makeNative(servers, as: host)
            defer { native.destroy() }
            var connection: OpaquePointer?
            var status = link.register(with: native)
            let attempt = {
                NATSSessions.adopt(link) { unsafe natsConnection_Connect(&connection, native.pointer) }
            }
            if status == NATS_OK { status = attempt() }
            // nats.c before 3.8 omits a signature whose first byte is zero. The second connection has another challenge,
            // so another signature.
            if status == NATS_CONNECTION_AUTH_FAILED, options.credentials.areSigned { status = attempt() }
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

        /// The number of messages received on this connection.
        var receivedCount: UInt64 {
            var count: UInt64 = 0
            unsafe natsConnection_GetStats(connection, statistics)
            unsafe natsStatistics_GetCounts(statistics, &count, nil, nil, nil, nil)
            return count
        }

        /// The number of bytes that wait for the socket.
        var bufferedBytes: Int { unsafe max(0, Int(clamping: natsConnection_Buffered(connection))) }

        /// The server's current maximum payload. nats.c counts in 32 bits.
        private var maximumPayload: Int {
            unsafe min(Int(clamping: natsConnection_GetMaxPayload(connection)), Int(clamping: Int32.max))
        }

        /// Publishes a message that has been validated.
        func publish(_ message: NATSMessage) throws(NATSError) {
            let size = message.payload.count
            // nats.c also checks the size, but first adds the headers' size in 32 bits.
            guard size <= Self.surelyTaken || size <= maximumPayload, let count = Int32(exactly: size),
                Int32(exactly: size + message.headers.encodedSize) != nil
            else {
                let why = "publishing to \(message.subject): \(size) bytes, the server accepts \(maximumPayload)"
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
                var (status, subscription) = unsafe arrivals.subscribe(connection, subject)
                if status == NATS_OK { status = unsafe natsSubscription_SetPendingLimits(subscription, -1, -1) }
                guard status == NATS_OK, let subscription = unsafe subscription else {
                    unsafe natsSubscription_Destroy(subscription)
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
            // No limits in nats.c: the loop takes messages after each read, and applies its own limits.
            if status == NATS_OK { status = unsafe natsSubscription_SetPendingLimits(subscription, -1, -1) }
            guard status == NATS_OK, let created = unsafe subscription else {
                unsafe natsSubscription_Destroy(subscription)
                throw .library("subscribing to \(subject)", status)
            }
            return unsafe NATSNativeSubscription(created, subject, pool)
        }

        // MARK: On the pool

        /// Waits until the server has processed all earlier messages. Returns false on a timeout or an error.
        func flush(_ timeout: Duration) -> Bool {
            unsafe natsConnection_FlushTimeout(connection, timeout.wholeMilliseconds) == NATS_OK
        }

        /// Closes the connection. Buffered bytes are sent first, for at most half a second.
        func close() { unsafe natsConnection_Close(connection) }
    }

    extension NATSHeaders {
        /// An upper bound of the encoded size: a first line, and a colon, a space and a line ending for each field.
        fileprivate var encodedSize: Int {
            fields.reduce(16) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }
    }

    extension Duration {
        /// The duration in whole milliseconds, at least 1 and at most `Int32.max`.
        var wholeMilliseconds: Int64 {
            let milliseconds = saturatedNanoseconds / 1_000_000
            return max(1, min(milliseconds, Int64(clamping: Int32.max)))
        }
    }
#endif
