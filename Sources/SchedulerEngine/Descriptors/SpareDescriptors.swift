// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore
import ReactiveSupport

/// A check that enough descriptors are free for a library. libdispatch, libevent and libuv end the process if they
/// cannot open a descriptor.
package enum SpareDescriptors {
    /// The number of descriptors to open. It is larger than any of these libraries needs in one call, because another
    /// thread may open descriptors at the same moment.
    private static let count: Int32 = 12

    /// Checks that the process can open enough descriptors. It opens descriptors of the kinds that the libraries open,
    /// and closes them.
    ///
    /// - Parameter operation: The operation that needs them, for the message.
    /// - Throws: `systemCall` if the system has too few descriptors left.
    package static func check(_ operation: String) throws(LoopError) {
        let code = reactive_check_descriptors(count)
        if code != 0 { throw LoopError.system("too few descriptors for \(operation)", code) }
    }
}

/// Descriptors that are reserved for a library until the library needs them.
package final class DescriptorReserve: Sendable {
    private let held: Lock<[Int32]>

    /// Opens four descriptors, the number that libdispatch opens for its first source.
    ///
    /// - Parameter operation: The operation that needs them, for the message.
    /// - Throws: `systemCall` if the system has too few descriptors left.
    package init(_ operation: String) throws(LoopError) {
        var held: [Int32] = []
        for _ in 0..<4 {
            let descriptor = reactive_eventfd()
            if descriptor < 0 {
                let error = LoopError.system("too few descriptors for \(operation)", errno)
                for descriptor in held { close(descriptor) }
                throw error
            }
            held.append(descriptor)
        }
        self.held = Lock(held)
    }

    deinit { release() }

    /// Closes the descriptors, so that the library can open its own. Later calls have no effect.
    package func release() {
        let held = held.withLock { held in held.takeAll() }
        for descriptor in held { close(descriptor) }
    }
}
