// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// The registration of a C library's loop as the host of one guest. Its release ends the registration.
package final class Adoption: Sendable {
    private static let adopted = ProgramLock<Set<UInt>>([])

    private let address: UInt

    /// Registers the loop at `native`.
    ///
    /// - Throws: `badArgument` if the pointer is nil or not aligned; `alreadyAdopted` if that loop already has a guest.
    package init(of native: UnsafeMutableRawPointer?, _ kind: String) throws(LoopError) {
        // Safe: the pointer is only printed and compared as a number. It is not dereferenced.
        guard let native = unsafe native else {
            throw LoopError(.badArgument, "cannot attach to a \(kind): the pointer is nil")
        }
        address = UInt(bitPattern: native)
        // The structures of both libraries begin with a pointer, so their addresses are aligned.
        guard address % UInt(MemoryLayout<UInt>.alignment) == 0 else {
            throw LoopError(.badArgument, unsafe "cannot attach to the \(kind) at \(native): it is not aligned")
        }
        guard Self.adopted.withLock({ [address] adopted in adopted.insert(address).inserted }) else {
            throw LoopError(
                .alreadyAdopted,
                unsafe "cannot attach to the \(kind) at \(native): it has a guest; use that guest, or dispose it first"
            )
        }
    }

    deinit { Self.adopted.withLock { [address] adopted in _ = adopted.remove(address) } }
}
