import CReactive
import ReactiveCore
import ReactiveSupport

/// A connection that timeouts refer to weakly is watched through its anchor.
extension WatchAnchor: DescriptorOwner where Core == ConnectionCore {
    func isReady(for readiness: Readiness) { core.isReady(for: readiness) }

    func abandon() { core.abandon() }

    /// Asks for the connection. Its address is only that of what is asked for, and the anchor holds it.
    static func prefetch(_ owner: UnsafeRawPointer) {
        Unmanaged<WatchAnchor>.fromOpaque(owner)._withUnsafeGuaranteedRef { anchor in
            let core = unsafeBitCast(anchor.core, to: UnsafeRawPointer.self)
            reactive_prefetch(core)
            // What all messages need of a connection is more than a line.
            reactive_prefetch(core + 64)
        }
    }
}
