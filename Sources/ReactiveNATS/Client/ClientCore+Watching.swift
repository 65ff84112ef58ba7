#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// How a client watches the descriptor of its connection.
    extension ClientCore {
        /// Watches what the link wants watched. It calls no member of nats.c's.
        func updateWatch() {
            guard let link else { return }
            let wanted = link.wanted
            if wanted.generation != watchedGeneration {
                watch?.dispose()
                watch = nil
                watchedGeneration = 0
            }
            if watchedGeneration == 0 { link.closeRetired() }
            // What nats.c has opened and not yet made a connection of is its own.
            guard wanted.generation != 0, wanted.generation == upGeneration else { return }
            do {
                if let watch {
                    if watch.interest != wanted.interest { try watch.setInterest(wanted.interest) }
                } else {
                    let anchor = CoreAnchor(self)
                    watch = try loop.watch(wanted.descriptor, for: wanted.interest) { ready in anchor.core.ready(ready)
                    }
                    watchedGeneration = wanted.generation
                }
            } catch {
                let error = NATSError(.loop, "the connection to \(name): \(error)")
                loop.execute { [core = UnsafeTransfer(self)] in core.value.finish(error, .closed(error)) }
            }
        }

        private func ready(_ readiness: Readiness) {
            guard let handle, isUp else { return }
            if readiness.contains(.write) {
                handle.processWrite()
                letSourcesGoOn()
            }
            if readiness.contains(.read), isUp {
                handle.processRead()
                receiveAll(handle)
            }
        }
    }

    /// What the watch's closure holds the client by: it notices when the loop lets go of the watch because the loop is over.
    private final class CoreAnchor: Sendable {
        private let confined: UnsafeTransfer<ClientCore>

        init(_ core: ClientCore) { confined = UnsafeTransfer(core) }

        var core: ClientCore { confined.value }

        deinit {
            if core.loop.isDisposed { core.abandon() }
        }
    }
#endif
