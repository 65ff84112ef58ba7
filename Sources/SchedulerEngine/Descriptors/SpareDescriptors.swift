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

/// Descriptors, and registrations with epoll, that are reserved for a library until the library needs them.
package final class DescriptorReserve: Sendable {
    /// An epoll set and its descriptors.
    private let held: Lock<[Int32]>

    /// Opens four descriptors and registers three of them, as libdispatch does for its first source.
    ///
    /// - Parameter operation: The operation that needs them, for the message.
    /// - Throws: `systemCall` if the system has too few descriptors or no memory left.
    package init(_ operation: String) throws(LoopError) {
        held = Lock([])
        var code = hold(reactive_epoll_create())
        for _ in 0..<3 where code == 0 { code = hold(reactive_eventfd()) }
        // `deinit` closes the descriptors that have been opened.
        if code != 0 { throw LoopError.system("too few descriptors for \(operation)", code) }
    }

    /// Keeps a descriptor that has just been opened, and registers it with the set, unless it is the set.
    private func hold(_ descriptor: Int32) -> Int32 {
        if descriptor < 0 { return errno }
        let code = register(descriptor)
        held.withLock { held in held.append(descriptor) }
        return code
    }

    deinit { release() }

    /// Registers one more descriptor until the release. Returns 0, or the error number with which the kernel refuses it:
    /// the kernel would then refuse the library's descriptors too.
    package func register(_ descriptor: Int32) -> Int32 {
        held.withLock { held in
            guard let epoll = held.first else { return 0 }
            let code = reactive_epoll_control(epoll, EpollOperation.add.rawValue, descriptor, 0, 0)
            return code == EEXIST ? 0 : code
        }
    }

    /// Closes the descriptors, so that the library can open its own. Later calls have no effect.
    package func release() {
        let held = held.withLock { held in held.takeAll() }
        for descriptor in held { close(descriptor) }
    }
}
