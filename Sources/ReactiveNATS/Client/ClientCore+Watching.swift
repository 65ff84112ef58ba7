// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Watching the descriptor of the connection.
    extension ClientCore {
        /// Updates the watch to the link's needs. It calls no function of nats.c.
        func updateWatch() {
            guard let link else { return }
            let wanted = link.wanted
            if wanted.generation != watchedGeneration {
                watch?.dispose()
                watch = nil
                watchedGeneration = 0
            }
            if watchedGeneration == 0 { link.closeRetired() }
            // A socket that nats.c has opened, but not yet connected, is not watched.
            guard wanted.generation != 0, wanted.generation == upGeneration else { return }
            do {
                if let watch {
                    if watch.interest != wanted.interest { try watch.setInterest(wanted.interest) }
                } else {
                    let core = UnsafeTransfer(self)
                    watch = try loop.watch(wanted.descriptor, for: wanted.interest) { core.value.ready($0) }
                    watchedGeneration = wanted.generation
                }
            } catch {
                let error = NATSError(.loop, "the connection to \(name): \(error)")
                loop.execute { [core = UnsafeTransfer(self)] in core.value.finish(error, .closed(error)) }
            }
        }

        private func ready(_ readiness: Readiness) {
            guard let handle, isUp else { return }
            if readiness.contains(.read) { unanswered.writes = 0 } else { countUnansweredWrite() }
            if unanswered.writes > Self.mostUnanswered { return dropConnection() }
            if readiness.contains(.write) {
                handle.processWrite()
                letSourcesGoOn()
            }
            if readiness.contains(.read), isUp {
                handle.processRead()
                receiveAll(handle)
            }
        }

        /// Counts a write since the last byte of the server, at most one in each interval of the pings. nats.c writes a
        /// ping in each interval, so no timer is needed here.
        private func countUnansweredWrite() {
            let now = loop.now
            // The times of pings vary a little.
            let interval = max(.milliseconds(1), options.pingInterval) * 0.9
            if unanswered.writes > 0, now - unanswered.at < interval { return }
            unanswered = (unanswered.writes + 1, now)
        }
    }

    extension ClientCore: LoopBound {}
#endif
