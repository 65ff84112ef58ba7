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
        let needed = neededWatch(isInputWaiting)
        // Then no event reports the end of the stream.
        if needed?.interest.contains(.read) != true { measureHalfClosed() }
        guard let (interest, retains) = needed else { return endWatch() }
        if retains == (watchKind == .weak) { endWatch() }
        if !retains, watch == nil { return schedulePeekingWatch() }
        do {
            if let watch {
                if watch.interest != interest { try watch.setInterest(interest) }
            } else {
                watch = try context.watch(socket.descriptor, for: interest, self)
                watchKind = .retaining
            }
        } catch  where error.code == .wrongThread {
            afterWait { core in core.updateWatch() }
        } catch {
            fail(.loop("cannot watch the connection with \(peer)", error))
        }
    }

    /// Watches for the peer's end of stream, if the connection has no watch. A connection that receives has one.
    func watchForEnd() {
        if watch == nil { updateWatch() }
    }

    func endWatch() {
        watch?.dispose()
        watch = nil
    }

    /// Watches for the end of the stream from a later job on, because a receiver often subscribes first: after a send, or
    /// instead of another receiver. The watch is then not needed.
    private func schedulePeekingWatch() {
        if watchKind == .scheduled { return }
        watchKind = .scheduled
        let core = UnsafeTransfer(self)
        loop.execute { core.value.beginPeekingWatch() }
    }

    private func beginPeekingWatch() {
        guard watchKind == .scheduled else { return }
        watchKind = .retaining
        guard isOpen, let (interest, retains) = neededWatch(false) else { return }
        if retains { return updateWatch() }
        // The connection also works without this watch, so a refusal is not a failure. A timer then looks for the end.
        watch = try? context.watchWeakly(socket.descriptor, for: interest, self)
        watch?.keepsLoopAlive = false
        watchKind = watch == nil ? .refused : .weak
        if watch == nil { measureHalfClosed() }
    }

    /// The readiness to watch the descriptor for, and whether the watch retains the connection. `nil` means that no watch
    /// is needed.
    private func neededWatch(_ isInputWaiting: Bool) -> (interest: Readiness, retains: Bool)? {
        let writing: Readiness = sending.isBlocked ? .write : []
        if phase.isDiscarding { return (writing.union(.read), true) }
        if hasUnreadReplies { return (writing, true) }
        if needsInput, receiving.stream == .open {
            // A suspension stops reading only when input arrives. Most are over before that, which saves system calls.
            let stopsReading = isSuspended && (isInputWaiting || watch?.interest.contains(.read) == false)
            return (stopsReading ? writing : writing.union(.read), true)
        }
        let observesEnd = hasStreamEndObservers && !phase.isClosing
        let retains = sending.isBlocked || hasDrainObservers
        switch receiving.watchNeed(of: readerState, holdsBytes: holdsTransformed, observesEnd: observesEnd) {
        case .peek where !phase.isClosing: return (writing.union(.read), retains)
        case .none, .peek: return retains ? (writing, true) : nil
        case .quiet: return (writing, true)
        case .read: return (writing.union(.read), true)
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

extension Connection {
    /// Watches for the peer's end of stream, unless the connection receives. Any thread may call it.
    func watchForEnd() {
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent { return core.value.watchForEnd() }
        loop.execute { [core] in core.value.watchForEnd() }
    }
}
