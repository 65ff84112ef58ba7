// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The watch of a connection that has timeouts retains this anchor.
extension WatchAnchor: DescriptorOwner where Core == ConnectionCore {
    func descriptorBecameReady(for readiness: Readiness) { core.descriptorBecameReady(for: readiness) }

    func abandon() { core.abandon() }
}
