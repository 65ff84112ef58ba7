// SPDX-License-Identifier: MIT
package import ReactiveCore
package import ReactiveSupport

extension PollerLoop: OwnerWatching where Back: ~Copyable {
    package var refusal: LoopError? { core.refusal }

    package func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        owner: any DescriptorOwner
    ) throws(LoopError) -> any DescriptorWatch {
        try core.watch(descriptor, for: interest, .owner(owner))
    }
}
