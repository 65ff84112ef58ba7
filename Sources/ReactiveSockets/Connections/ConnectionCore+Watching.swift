// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The watch of the descriptor.
extension ConnectionCore {
    /// Updates the watch to the current needs. Call it after every change that may affect them.
    ///
    /// - Parameter isInputWaiting: Whether input has arrived that a suspended transformer cannot process.
    func updateWatch(isInputWaiting: Bool = false) {
        guard isOpen else { return }
        guard let interest = neededInterest(isInputWaiting) else {
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
        } catch  where error.code == .wrongThread {
            afterWait { core in core.updateWatch() }
        } catch {
            fail(.loop("cannot watch the connection with \(peer)", error))
        }
    }

    /// The readiness to watch the descriptor for. `nil` means that no watch is needed.
    private func neededInterest(_ isInputWaiting: Bool) -> Readiness? {
        let writing: Readiness = sending.isBlocked ? .write : []
        if phase.isDiscarding { return writing.union(.read) }
        if hasUnreadReplies { return writing }
        if needsInput, receiving.stream == .open {
            // A suspension stops reading only when input arrives. Most are over before that, which saves system calls.
            let stopsReading = isSuspended && (isInputWaiting || watch?.interest.contains(.read) == false)
            return stopsReading ? writing : writing.union(.read)
        }
        let observesEnd = hasStreamEndObservers && !phase.isClosing
        switch receiving.watchNeed(of: readerState, holdsBytes: holdsTransformed, observesEnd: observesEnd) {
        case .none: return sending.isBlocked || hasDrainObservers ? writing : nil
        case .quiet: return writing
        case .read: return writing.union(.read)
        }
    }

    /// The state of the reader, for `ReceivingState`. The reader is `paused` only after the subscription has reported
    /// its pause.
    var readerState: ReceivingState.ReaderState {
        guard let subscription else { return .none }
        return subscription.isPauseReported ? .paused : .receiving
    }

    /// Whether transformed bytes wait for the reader.
    var holdsTransformed: Bool { isTransformed && extras?.undelivered.isEmpty == false }

    /// Writes if the descriptor is writable and bytes wait, then reads if it is readable.
    ///
    /// After a reset the poller reports the socket as readable and writable. The connection writes first, so the
    /// pending send fails with the reset. `failSending` lets the reader receive the bytes that Linux keeps nevertheless.
    func descriptorBecameReady(for readiness: Readiness) {
        if readiness.contains(.write), sending.isBlocked { flush() }
        guard readiness.contains(.read), isOpen else { return }
        if phase.isDiscarding {
            discard()
        } else if isSuspended {
            updateWatch(isInputWaiting: true)
        } else {
            readChunk()
        }
    }
}
