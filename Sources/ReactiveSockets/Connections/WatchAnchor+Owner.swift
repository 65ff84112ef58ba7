import ReactiveCore
import ReactiveSupport

/// The watch of a connection that has timeouts retains this anchor.
extension WatchAnchor: DescriptorOwner where Core == ConnectionCore {
    func isReady(for readiness: Readiness) { core.isReady(for: readiness) }

    func abandon() { core.abandon() }
}
