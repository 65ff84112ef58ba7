// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The hand-over of the listening sockets to the next process.
extension ServerCore: HandoverSource {
    func duplicates() throws(SocketError) -> [Int32] {
        var duplicates: [Int32] = []
        for listener in listeners {
            do throws(SocketError) {
                duplicates.append(try listener.bound.duplicate())
            } catch {
                for duplicate in duplicates { SystemSocket(descriptor: duplicate).close() }
                throw error
            }
        }
        return duplicates
    }

    func offer() {
        for listener in listeners { listener.bound.offer() }
        ledger.withLock { ledger in ledger.beginOffer() }
    }

    func withdraw() {
        for listener in listeners { listener.bound.withdraw() }
        ledger.withLock { ledger in ledger.endOffer() }
    }

    func release() {
        for listener in listeners { listener.bound.release() }
        ledger.withLock { ledger in ledger.share() }
    }
}
