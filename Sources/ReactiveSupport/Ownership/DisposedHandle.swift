// SPDX-License-Identifier: MIT
import ReactiveCore

/// A handle that is disposed from the start. A disposed scheduler returns it.
package final class DisposedHandle: Disposable {
    package static let shared = DisposedHandle()

    package var isDisposed: Bool { true }

    package func dispose() {}
}
