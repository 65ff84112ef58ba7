package import ReactiveCore

/// Where the C callbacks of one wait put what they are told, until the wait returns and reports it.
package final class ReadyBuffer {
    private var events: [(token: UInt64, readiness: Readiness)] = []

    package init() {
        events.reserveCapacity(64)
    }

    package func append(_ token: UInt64, _ readiness: Readiness) {
        events.append((token, readiness))
    }

    /// Reports everything, oldest first, and is empty after that.
    package func drain(_ ready: (UInt64, Readiness) -> Void) {
        for event in events { ready(event.token, event.readiness) }
        events.removeAll(keepingCapacity: true)
    }
}
