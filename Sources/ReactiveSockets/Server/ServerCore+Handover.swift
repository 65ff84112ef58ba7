// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The hand-over of the listening sockets to the next process.
extension ServerCore {
    /// Duplicates of the listening sockets, which the caller closes. Any thread may call it.
    func duplicates() throws(SocketError) -> [Int32] {
        var duplicates: [Int32] = []
        for listener in listeners {
            do throws(SocketError) {
                duplicates.append(try listener.core.value.duplicate())
            } catch {
                for duplicate in duplicates { SystemSocket(descriptor: duplicate).close() }
                throw error
            }
        }
        return duplicates
    }

    /// Leaves the listening sockets to the next process, if that acknowledges. Any thread may call it.
    func offer() {
        for listener in listeners { listener.core.value.offer() }
        ledger.withLock { ledger in ledger.beginOffer() }
    }

    /// Ends an offer that was not acknowledged. Any thread may call it.
    func withdraw() {
        for listener in listeners { listener.core.value.withdraw() }
        ledger.withLock { ledger in ledger.endOffer() }
    }

    /// Leaves the listening sockets to the next process. Any thread may call it.
    func release() {
        for listener in listeners { listener.core.value.release() }
        ledger.withLock { ledger in ledger.share() }
    }
}
