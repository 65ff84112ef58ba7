package import ReactiveCore
import ReactiveSupport

/// The right to be a library's loop's one guest; it ends with this object.
package final class Adoption: Sendable {
    private static let adopted = ProgramLock<Set<UInt>>([])

    private let address: UInt

    /// Takes it.
    ///
    /// - Throws: `badArgument` for a pointer that cannot be one; `alreadyAdopted` where there is a guest.
    package init(of native: UnsafeMutableRawPointer?, _ kind: String) throws(LoopError) {
        // Safe: the pointer is printed and compared as a number, and what it points to is not read.
        guard let native = unsafe native else {
            throw LoopError(.badArgument, "there is no \(kind) to adopt: the pointer is nil")
        }
        address = UInt(bitPattern: native)
        // Both libraries' loops begin with a pointer.
        guard address % UInt(MemoryLayout<UInt>.alignment) == 0 else {
            throw LoopError(.badArgument, unsafe "\(native) is no \(kind): it is not aligned")
        }
        guard Self.adopted.withLock({ [address] adopted in adopted.insert(address).inserted }) else {
            throw LoopError(
                .alreadyAdopted,
                unsafe "the \(kind) at \(native) has a guest already; use that one, or dispose it first"
            )
        }
    }

    deinit { Self.adopted.withLock { [address] adopted in _ = adopted.remove(address) } }
}
