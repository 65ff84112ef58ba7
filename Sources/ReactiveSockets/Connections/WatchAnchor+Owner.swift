import ReactiveCore
import ReactiveSupport

/// A connection that timeouts refer to weakly is watched through its anchor.
extension WatchAnchor: DescriptorOwner where Core == ConnectionCore {
    func isReady(for readiness: Readiness) { core.isReady(for: readiness) }

    func abandon() { core.abandon() }
}
