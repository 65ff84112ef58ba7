import CReactive
import Glibc
package import ReactiveCore
import ReactiveSupport

/// Room for the descriptors that a library opens and ends the process without: libdispatch, libevent and libuv each do.
package enum SpareDescriptors {
    /// More than any of them opens at once, so that a thread that opens some at the same moment does not take the last.
    private static let count: Int32 = 12

    /// Opens descriptors of the kinds that the libraries open, and closes them.
    ///
    /// - Throws: `systemCall` where the system does not give so many.
    package static func check(_ operation: String) throws(LoopError) {
        let code = reactive_check_descriptors(count)
        if code != 0 { throw LoopError.system("no descriptors for \(operation)", code) }
    }
}

/// Descriptors that are held for a library until it needs them.
package final class DescriptorReserve: Sendable {
    private let held: Lock<[Int32]>

    /// Holds four, which is what libdispatch opens for its first source.
    ///
    /// - Throws: `systemCall` where the system does not give so many.
    package init(_ operation: String) throws(LoopError) {
        var held: [Int32] = []
        for _ in 0..<4 {
            let descriptor = reactive_eventfd()
            if descriptor < 0 {
                let error = LoopError.system("no descriptors for \(operation)", errno)
                for descriptor in held { close(descriptor) }
                throw error
            }
            held.append(descriptor)
        }
        self.held = Lock(held)
    }

    deinit { release() }

    /// Closes them: the library opens its own right after this. Twice is once.
    package func release() {
        let held = held.withLock { held in
            defer { held = [] }
            return held
        }
        for descriptor in held { close(descriptor) }
    }
}
