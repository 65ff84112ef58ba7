// SPDX-License-Identifier: MIT
import Glibc

/// A descriptor that is closed once: by ``close()``, or when its last reference is released.
package final class OwnedDescriptor: Sendable {
    package let number: Int32
    private let isOpen: Box<Bool>

    package init(_ number: Int32, file: StaticString = #fileID, line: Int = #line) {
        self.number = number
        isOpen = Box(true, file: file, line: line)
    }

    deinit { close() }

    package func close() {
        let wasOpen = isOpen.update { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Descriptor.close(number) }
    }
}
