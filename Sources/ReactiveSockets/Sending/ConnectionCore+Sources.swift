// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The sources that are being sent, and the watermarks that pause them.
extension ConnectionCore {
    /// Registers a source to send. Its result fails when the connection ends, or immediately if sending has ended.
    func begin(_ send: SourceSubscription) {
        // The failure of the connection has been received or reported already.
        guard isOpen, sending.phase == .open else { return send.fail(refusalError, isObserved: true) }
        if firstSend == nil { firstSend = send } else { ensureExtras().sends.append(send) }
    }

    func remove(_ send: SourceSubscription) {
        if firstSend === send { firstSend = nil } else { extras?.sends.removeAll { $0 === send } }
    }

    /// Whether the source is being sent. If so, its result terminates no later than the connection.
    func isSending(_ send: SourceSubscription) -> Bool {
        firstSend === send || extras?.sends.contains { $0 === send } == true
    }

    /// Whether any source is being sent.
    var isSendingSource: Bool { firstSend != nil || extras?.sends.isEmpty == false }

    func takeSends() -> [SourceSubscription] {
        var sends = extras?.sends ?? []
        extras?.sends = []
        if let firstSend { sends.insert(firstSend, at: 0) }
        firstSend = nil
        return sends
    }

    /// Pauses a source until the waiting bytes fall to the low watermark.
    @inline(never)
    func pauseSource(_ subscription: SignalSubscription) {
        neededBacklog.addPause(subscription.pause())
    }

    private func releaseSources() {
        guard let backlog else { return }
        let pauses = backlog.takePauses()
        dropBacklogIfEmpty()
        for pause in pauses { pause.dispose() }
    }

    // MARK: Watermarks

    @inline(__always)
    func updateWritability() {
        if isTransformed || sending.mayCross { reportWatermarks() }
    }

    private func reportWatermarks() {
        // The observer of a result may have ended the connection, which has set the final value.
        guard isOpen else { return }
        let held = isTransformed ? extras?.heldCount ?? 0 : 0
        switch sending.cross(sending.pendingCount + held, watermarks) {
        case nil: break
        case .high: reportWritability(Writability.Level.full)
        case .low:
            reportWritability(Writability.Level.writable)
            // An observer may have sent more bytes.
            if sending.level == .low { releaseSources() }
        }
    }

    /// Stores the value, then sets the property if there is one. Because of this order, a thread that creates the
    /// property at the same time reads the stored value.
    func reportWritability(_ level: UInt8) {
        reportedWritability.store(level, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard let writability = writability.object else { return }
        if level == Writability.Level.ended {
            writability.end()
        } else {
            writability.set(level != Writability.Level.full)
        }
    }
}
