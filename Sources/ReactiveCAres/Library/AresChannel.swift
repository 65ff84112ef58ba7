// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc
    import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport

    /// A channel of c-ares: an ordered list of servers, and the sockets to them. All members are called on the loop.
    ///
    /// c-ares calls back only while a member of this class calls it. The callbacks open, watch and close sockets, and
    /// store answers. They never run user code.
    ///
    /// Safe: this object owns the channel and the table of functions. It destroys them once, and uses them only before
    /// that. c-ares keeps no other pointer than those of requests, which it returns once.
    @safe
    final class AresChannel {
        /// The number of datagrams that c-ares may read in one turn (rule S9). More wait in the kernel.
        private static let readsPerTurn = 64

        /// The servers in the order of use.
        private(set) var servers: [SocketAddress] = []
        /// Whether every question asks the servers in that order.
        private(set) var asksInOrder = true
        /// The number of questions so far.
        private(set) var askedCount = 0
        /// The number of questions that have not been answered.
        private(set) var openCount = 0
        var sockets: AresSockets
        private let loop: any LoopScheduler
        private unowned let core: AresCore
        private let activity: LibraryActivity
        private var channel: OpaquePointer?
        private let functions: UnsafeMutablePointer<ares_socket_functions>
        private var attemptTimeout = Duration.zero
        private var timer: (deadline: LoopInstant, handle: any Disposable)?

        /// Creates a channel. The preferred server becomes the first one.
        init(_ core: AresCore, preferring preferred: SocketAddress?) throws(AresStatus) {
            self.core = core
            loop = core.loop
            activity = core.activity
            sockets = AresSockets(core)
            unsafe functions = .allocate(capacity: 1)
            unsafe functions.initialize(to: AresSockets.functions)
            // The references are unretained, because c-ares calls back only while this object exists.
            let reference = unsafe Unmanaged.passUnretained(self).toOpaque()
            let made = unsafe try core.settings.makeChannel(AresSockets.watch, reference)
            unsafe channel = made
            unsafe ares_set_socket_functions(made, functions, reference)
            (asksInOrder, attemptTimeout) = unsafe AresSettings.effective(made)
            servers = unsafe AresSettings.servers(made)
            if let preferred, let index = servers.firstIndex(of: preferred), index > 0 {
                servers.insert(servers.remove(at: index), at: 0)
                let status = unsafe AresSettings.setServers(servers, made)
                if status != ARES_SUCCESS { throw AresStatus(status) }
            }
        }

        deinit {
            destroy()
            unsafe functions.deallocate()
        }

        // MARK: Calls of c-ares

        /// Asks for the addresses of a name. The answer arrives in `AresCore.add`, possibly before this call returns.
        func ask(_ request: AresRequest) {
            guard let channel = unsafe channel else { return }
            askedCount += 1
            openCount += 1
            var hints = ares_addrinfo_hints()
            hints.ai_family = AF_UNSPEC
            let argument = unsafe Unmanaged.passRetained(request).toOpaque()
            call {
                unsafe ares_getaddrinfo(channel, request.question.name, nil, &hints, AresRequest.callback, argument)
            }
        }

        /// Reads answers from a socket, and sends what it has room for.
        func process(_ descriptor: Int32, _ readiness: Readiness) {
            guard let channel = unsafe channel else { return }
            let (reading, writing) = (readiness.contains(.read), readiness.contains(.write))
            call { unsafe ares_process_fd(channel, reading ? descriptor : -1, writing ? descriptor : -1) }
        }

        func processTimeouts() { process(-1, []) }

        /// Closes the sockets. c-ares answers the open questions in this call.
        func destroy() {
            guard let channel = unsafe channel.take() else { return }
            timer?.handle.dispose()
            timer = nil
            call { unsafe ares_destroy(channel) }
        }

        /// Records that c-ares has answered a question.
        func answered() { openCount -= 1 }

        private func call(_ body: () -> Void) {
            sockets.beginCall(maximumReads: Self.readsPerTurn)
            activity.isInLibrary = true
            body()
            activity.isInLibrary = false
        }

        // MARK: Time limits

        /// Schedules the next check for questions that have waited too long. c-ares finds the exact time by looking at
        /// every question, so this is done only when the timer fires. Until then the timer may fire too early.
        func updateTimer() {
            guard let channel = unsafe channel, openCount > 0 else {
                timer?.handle.dispose()
                timer = nil
                return
            }
            let hasSent = sockets.takeHasSent()
            let deadline: LoopInstant
            if timer == nil {
                var storage = timeval()
                if unsafe ares_timeout(channel, nil, &storage) == nil {
                    deadline = loop.now + attemptTimeout
                } else {
                    // c-ares rounds down to milliseconds.
                    deadline = loop.now + .seconds(storage.tv_sec) + .microseconds(storage.tv_usec) + .milliseconds(1)
                }
            } else if hasSent {
                deadline = loop.now + attemptTimeout
            } else {
                return
            }
            if let timer {
                if timer.deadline <= deadline { return }
                timer.handle.dispose()
            }
            let (core, confined) = (UnsafeTransfer(core), UnsafeTransfer(self))
            let handle = loop.schedule(at: deadline, options: TimerOptions()) {
                confined.value.timer = nil
                core.value.timeOut(confined.value)
            }
            timer = (deadline, handle)
        }
    }
#endif
