// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The body of a received message. It keeps no bytes: while no subscriber accepts them, the connection does not parse
    /// them. It has at most one subscriber ever.
    ///
    /// Only the loop of the connection accesses it, except ``length``, `signal(of:)` and ``trailers``.
    final class ReceivedBody: LoopSourceOwner {
        let length: Int?
        let loop: any LoopScheduler
        /// The connection, which retains the body. A disposed loop ends no body, so a strong reference would be a cycle.
        private weak var owner: (any ExchangeConnection)?
        @safe @exclusivity(unchecked)
        var loopSource = LoopSource<Bytes, HTTPError>()
        private let fields = Lock<HTTPFields?>(nil)

        init(length: Int?, loop: any LoopScheduler, owner: any ExchangeConnection) {
            self.length = length
            self.loop = loop
            self.owner = owner
        }

        deinit {
            guard loopSource.isIdle, let owner, !loop.isDisposed else { return }
            let own = UnsafeTransfer(owner)
            // In a job, because the release may happen anywhere.
            loop.execute { own.value.unreadBodyReleased() }
        }

        /// The trailer fields, after the body has completed. Any thread may read them.
        var trailers: HTTPFields? { fields.withLock { $0 } }

        /// Whether there is a subscriber, even a paused one.
        var isRead: Bool { loopSource.hasSubscriber }

        /// Terminates the signal, after the delivery that is under way. If it had no subscriber, a later one receives the
        /// same termination.
        func end(_ termination: Termination<HTTPError>, trailers: HTTPFields? = nil) {
            if let trailers { fields.withLock { $0 = trailers } }
            owner = nil
            terminate(termination, later: loopSource.isIdle ? nil : .failed(alreadyReceiving))
        }

        var alreadyReceiving: HTTPError {
            HTTPError(.alreadyReceiving, "the body has or had a subscriber: it allows one")
        }

        func demandChanged() { owner?.bodyChanged(self) }

        func subscriberLeft() {
            terminate(.failed(alreadyReceiving))
            owner?.bodyChanged(self)
        }
    }
#endif
