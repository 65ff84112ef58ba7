// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport

    /// Bounds the steps of handshakes in one turn of a loop. A step is one call of OpenSSL, which may sign.
    ///
    /// Without a bound, 1,000 clients that connect at once would delay the established connections of the loop by 1,000
    /// signatures. Connections beyond the bound are suspended, and continue in later turns in the order of their
    /// requests. All contexts share the queue of a loop. Only the loop uses it.
    final class HandshakeQueue {
        /// The number of steps in a turn. A signature with RSA-2048 takes 0.25 ms (Decision 0045), so the bound delays
        /// other connections by about 1 ms. A loop without other work begins the next turn at once.
        static let stepsPerTurn = 4
        /// The number of cheap steps that count as one step. A step that resumes a session of TLS 1.2 takes 0.03 ms.
        static let cheapSteps = 4

        /// The queues of all loops. A queue retains its loop, so the identity of a loop is not reused before the entry
        /// is removed.
        private static let all = Lock<[ObjectIdentifier: UnsafeTransfer<WeakHandle<HandshakeQueue>>]>([:])

        private let loop: any LoopScheduler
        private var turn = UInt64.max
        /// The steps of the turn, in cheap steps.
        private var spent = 0
        /// Whether the queue calls a connection now, which then takes a step without waiting.
        private var isCalling = false
        // Safe: the methods of the queue call no other code, so accesses cannot overlap.
        @safe @exclusivity(unchecked)
        private var waiting = FIFO<TransformerResumption>()

        private init(_ loop: any LoopScheduler) { self.loop = loop }

        deinit {
            let key = ObjectIdentifier(loop)
            Self.all.withLock { all in
                if all[key]?.value.object == nil { all[key] = nil }
            }
        }

        /// Returns the queue of a loop.
        static func of(_ loop: any LoopScheduler) -> HandshakeQueue {
            let key = ObjectIdentifier(loop)
            return all.withLock { all in
                if let queue = all[key]?.value.object { return UnsafeTransfer(queue) }
                let queue = HandshakeQueue(loop)
                all[key] = UnsafeTransfer(WeakHandle(queue))
                return UnsafeTransfer(queue)
            }.value
        }

        /// Takes a step of the current turn. If it returns false, the connection of `out` must wait: the queue resumes it
        /// in a later turn.
        func takeStep(_ out: TransformedBytes) -> Bool {
            beginTurn()
            if isCalling || (waiting.isEmpty && hasStepsLeft) {
                isCalling = false
                spent += Self.cheapSteps
                return true
            }
            guard let resumption = out.resumption else { return true }
            waiting.append(resumption)
            return false
        }

        /// Counts the last step as a cheap one. Call it after the step, which shows whether it was cheap.
        func stepWasCheap() { spent -= Self.cheapSteps - 1 }

        private var hasStepsLeft: Bool { spent < Self.stepsPerTurn * Self.cheapSteps }

        /// Resets the count if a turn has begun. The job of the next turn retains the queue until then, so the count is
        /// not lost when all connections end. It also calls the connections that wait.
        private func beginTurn() {
            let current = loop.turn
            guard current != turn else { return }
            (turn, spent) = (current, 0)
            let queue = UnsafeTransfer(self)
            loop.execute { queue.value.callWaiting() }
        }

        private func callWaiting() {
            if waiting.isEmpty { return }
            beginTurn()
            while hasStepsLeft, let next = waiting.popFirst() {
                isCalling = true
                _ = next.resumeNow()
                // If the connection has ended, it has taken no step, and the value is still true.
                isCalling = false
            }
        }
    }
#endif
