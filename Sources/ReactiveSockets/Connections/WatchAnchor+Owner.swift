import CReactive
import ReactiveCore
import ReactiveSupport

/// A connection that timeouts refer to weakly is watched through its anchor.
extension WatchAnchor: DescriptorOwner where Core == ConnectionCore {
    func isReady(for readiness: Readiness) { core.isReady(for: readiness) }

    func abandon() { core.abandon() }

    /// Asks for the connection. Safe: the watch holds the anchor, and the connection's address is used as a number.
    static func prefetch(_ owner: UnsafeRawPointer) {
        unsafe Unmanaged<WatchAnchor>.fromOpaque(owner)._withUnsafeGuaranteedRef { anchor in
            let core = unsafe unsafeBitCast(anchor.core, to: UInt.self)
            reactive_prefetch(core)
            // What all messages need of a connection is more than a line.
            reactive_prefetch(core &+ 64)
        }
    }
}
