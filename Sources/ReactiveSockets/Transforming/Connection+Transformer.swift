// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension Connection {
    /// The connection's transformer. nil if there is none, and after the connection has ended. Call it on the loop,
    /// outside of the transformer's calls. Traps elsewhere.
    package var currentTransformer: (any ConnectionTransformer)? {
        require(
            loop.isCurrent,
            "cannot read the transformer (tlsInfo) of a connection here: read it in work of loop \(loop.name)"
        )
        return core.value.isOpen ? core.value.extras?.idleTransformer : nil
    }
}
