import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The watch of the descriptor.
extension ConnectionCore {
    /// Watches for what is needed now. To be called whenever that may have changed.
    func updateWatch() {
        guard isOpen else { return }
        guard let interest = neededInterest else {
            watch?.dispose()
            watch = nil
            return
        }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                watch = try context.watch(socket.descriptor, for: interest, self)
            }
        } catch {
            fail(.loop("connection with \(peer)", error))
        }
    }

    /// What to watch the descriptor for; nil if no watch is needed.
    private var neededInterest: Readiness? {
        let writing: Readiness = sending.isBlocked ? .write : []
        if phase.isDiscarding { return writing.union(.read) }
        let observesEnd = hasStreamEndObservers && !phase.isClosing
        switch receiving.watchNeed(of: readerState, holdsBytes: holdsTransformed, observesEnd: observesEnd) {
        case .none: return sending.isBlocked ? writing : nil
        case .quiet: return writing
        case .read: return writing.union(.read)
        }
    }

    /// The reader as ``ReceivingState`` sees it. A pause counts once the reader's subscription has reported it.
    var readerState: ReceivingState.ReaderState {
        guard let subscription else { return .none }
        return subscription.isPauseReported ? .paused : .receiving
    }

    /// Whether transformed bytes wait for the reader.
    var holdsTransformed: Bool { isTransformed && extras?.undelivered.isEmpty == false }

    func isReady(for readiness: Readiness) {
        if readiness.contains(.write), sending.isBlocked { flush() }
        guard readiness.contains(.read), isOpen else { return }
        if phase.isDiscarding { discard() } else { readChunk() }
    }
}
