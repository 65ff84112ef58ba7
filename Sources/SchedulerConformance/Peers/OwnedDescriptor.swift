// SPDX-License-Identifier: MIT
import Glibc

/// A descriptor that is closed once, by ``close()``.
///
/// Its release closes it too, so that a test that fails leaves no descriptor. Do not rely on that while a descriptor is in
/// use: the optimiser may release an object after its last use, and the number may then belong to another file.
package final class OwnedDescriptor: Sendable {
    private let descriptor: Box<Int32>

    package init(_ number: Int32, file: StaticString = #fileID, line: Int = #line) {
        descriptor = Box(number, file: file, line: line)
    }

    deinit { close() }

    /// The number of the descriptor, and -1 once it is closed: its number may then belong to another socket.
    package var number: Int32 { descriptor.value }

    package func close() {
        let number = descriptor.update { number in
            defer { number = -1 }
            return number
        }
        if number >= 0 { Descriptor.close(number) }
    }
}
