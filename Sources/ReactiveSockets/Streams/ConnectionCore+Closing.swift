import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// A graceful end (rule N14): the peer gets everything that was sent, whatever it is sending itself.
///
/// A socket that is closed while it holds unread data, or that data reaches later, is reset by the kernel, and with that go
/// the last bytes sent. So sending ends first, then what comes is thrown away until the peer ends too, within bounds.
extension ConnectionCore {
    private static let patience = Duration.seconds(2)
    private static let discardLimit = 1024 * 1024

    /// Whether everything has been sent and only the peer's end is awaited.
    var isDiscarding: Bool { isClosing && hasFinished && !hasReachedEnd }

    func close() {
        guard isOpen, !isClosing else { return }
        isClosing = true
        let error = SocketError(.closed, "the connection with \(peer) has been closed here")
        neededExtras.failure = error
        let reception = takeReception()
        finishSending(nil)
        if hasFinished { startDiscarding() }
        if let reception { tellEnd(.failed(error), to: reception) }
    }

    /// Called when sending has ended, and only the peer's end is missing.
    func startDiscarding() {
        guard isOpen, isDiscarding, extras?.closingTimer == nil else { return }
        let core = Confined(self)
        neededExtras.closingTimer = loop.schedule(after: Self.patience) {
            if core.value.isOpen { core.value.leave() }
        }
        updateWatch()
    }

    /// Reads and forgets a chunk.
    func discard() {
        var wouldBlock = false
        let count = SlabCache.withCurrent { cache in
            cache.read(atMost: SlabCache.slabSize) { memory in
                switch socket.receive(memory) {
                case .count(let count): return count
                case .wouldBlock: wouldBlock = true
                case .failed: break
                }
                return -1
            }.result
        }
        if wouldBlock { return }
        let extras = neededExtras
        extras.discardedCount += max(0, count)
        if count <= 0 || extras.discardedCount > Self.discardLimit { leave() }
    }
}
