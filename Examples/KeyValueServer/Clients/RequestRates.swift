// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import Synchronization

/// Limits the rate of the requests of each address, whatever the number of its connections.
final class RequestRates: Sendable {
    private let buckets: Mutex<TokenBuckets<AddressPrefix>>
    private let loop: any LoopScheduler

    init(_ rate: TokenRate, on loop: any LoopScheduler) {
        buckets = Mutex(TokenBuckets(rate))
        self.loop = loop
    }

    /// Counts a request. Returns false if its client exceeds the rate. Clients of a Unix socket never do.
    func admit(_ client: Client) -> Bool {
        guard let prefix = client.prefix else { return true }
        let now = loop.now
        return buckets.withLock { $0.take(for: prefix, at: now) }
    }
}
