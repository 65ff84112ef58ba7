// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Files in the queue of a connection that has no transformer (Decision 0053).
///
/// A file counts as waiting bytes, although it needs no memory. So watermarks, timeouts and the close treat it like any
/// other bytes.
extension ConnectionCore {
    /// The maximum number of bytes of files that a connection sends before it waits for the next turn.
    static let fileBytesPerTurn = 256 * 1024
    /// The maximum number of bytes of one read, if the system cannot send the file directly.
    private static let fileBytesPerRead = 64 * 1024

    /// Accepts a part of a file for sending after everything before it. `source` is paused at the high watermark.
    func send(_ part: FilePart, pausing source: SignalSubscription) {
        guard isOpen, sending.phase == .open, !part.range.isEmpty else { return }
        precondition(!isTransformed)
        if sending.isRefused { return sending.queue(part.range.count) }
        let backlog = neededBacklog
        if let first = takeFromSharedSlot() { backlog.append(first) }
        backlog.append(WaitingFile(part))
        sending.queue(part.range.count)
        if sending.isBlocked {
            updateWritability()
        } else {
            switch sending.nextFlush(limit: context.gatherLimit, isDelivering: receiving.isDelivering) {
            case .now: flush()
            case .schedule: scheduleFlush()
            case .later: break
            }
        }
        if isOpen, sending.level == .high { pauseSource(source) }
    }

    /// Writes bytes that a file follows.
    func writeBeforeFile(_ bytes: Bytes) -> SystemSocket.Outcome {
        let socket = socket
        return unsafe bytes.withUnsafeBytes { memory in unsafe socket.sendFollowed(memory) }
    }

    /// Sends bytes of the first file. Returns false if the caller cannot go on in this turn.
    @inline(never)
    func sendFile(of backlog: SendBacklog) -> Bool {
        guard let file = backlog.files.first else { return false }
        let turns = context.gathering.value.neededFileTurns
        let budget = Self.fileBytesPerTurn - turns.count(of: self, in: loop.turn)
        guard budget > 0 else {
            if sending.scheduleFlush() { scheduleFlush() }
            return false
        }
        let attempted = min(file.remaining, budget)
        switch socket.send(file.part.file, from: file.offset, attempted) {
        case .count(0): failFile(file.part, nil)
        case .count(let count):
            turns.add(count, of: self)
            sending.kernelAccepted(count, of: attempted)
            advance(file, count, backlog)
        case .wouldBlock: sending.kernelAccepted(0, of: attempted)
        case .failed(EINVAL), .failed(ENOSYS): read(file, backlog, turns)
        case .failed(let code) where Self.isOfSocket(code): failSending(code)
        case .failed(let code): failFile(file.part, code)
        }
        return true
    }

    /// Whether a failure of sendfile is that of the socket. All others are those of the file.
    private static func isOfSocket(_ code: Int32) -> Bool {
        switch code {
        case EPIPE, ECONNRESET, ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, ENETRESET,
            ECONNREFUSED, ECONNABORTED, ESHUTDOWN, ENOPROTOOPT, EPROTO, EMSGSIZE, ENOBUFS, ENOTSOCK:
            true
        default: false
        }
    }

    /// Reads the next bytes of the file into the queue, because the system cannot send them directly.
    private func read(_ file: WaitingFile, _ backlog: SendBacklog, _ turns: FileTurns) {
        do throws(SystemFailure) {
            let limit = min(file.remaining, Self.fileBytesPerRead)
            let bytes = try file.part.file.read(at: file.offset, atMost: limit)
            if bytes.isEmpty { return failFile(file.part, nil) }
            turns.add(bytes.count, of: self)
            backlog.queue.append(bytes)
            advance(file, bytes.count, backlog)
        } catch {
            failFile(file.part, error.errno)
        }
    }

    private func advance(_ file: WaitingFile, _ count: Int, _ backlog: SendBacklog) {
        file.advance(count)
        if file.remaining == 0 { backlog.dropFirstFile() }
    }

    /// Resets the connection, so that the peer does not mistake the part of the file for all of it. `code` is `nil` if the
    /// file has become shorter.
    ///
    /// The state is final before the owner of the file is notified, because it may call any member.
    private func failFile(_ part: FilePart, _ code: Int32?) {
        let operation = "cannot send a file to \(peer)"
        let reason = code.map { SocketError.system(operation, $0).message }
        let error = SocketError(
            .sourceFailed,
            errno: code ?? 0,
            reason ?? "\(operation): it has become shorter while it was being sent"
        )
        abort(error)
        part.failed(error)
    }
}
