// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The further system calls of a simulated host, which the peers of the conformance kit use (Decision 0048).
///
/// Each call has the semantics of the system call of the same name on a nonblocking descriptor. The error numbers are
/// those of ``SocketSystem``.
package protocol MachineSystem: SocketSystem {
    /// The monotonic clock.
    var now: LoopInstant { get }
    /// The open descriptors, with a text for each.
    var openDescriptors: [Int32: String] { get }
    /// The number of descriptors that may be open at the same time. Lowering it closes no descriptor.
    var descriptorLimit: Int { get set }
    /// Opens two connected Unix sockets (`socketpair`), or traps if no descriptor is left.
    func openPair(_ kind: SocketType) -> (near: Int32, far: Int32)
    /// Opens a pipe, or traps if no descriptor is left.
    func openPipe() -> (reading: Int32, writing: Int32)
    /// Opens a regular file, which no loop can watch.
    func openFile() -> Int32
    /// Duplicates a descriptor (`F_DUPFD`), at the lowest free number that is not below `lowest`.
    func duplicate(_ descriptor: Int32, from lowest: Int32) -> Int32
    /// Makes `number` a duplicate of a descriptor, and closes what it was before (`dup2`).
    func duplicate(_ descriptor: Int32, onto number: Int32) -> Int32
    /// What `poll` would report.
    func readiness(_ descriptor: Int32) -> Readiness
    /// Whether the descriptor is a TCP socket that is connecting.
    func isConnecting(_ descriptor: Int32) -> Bool
    /// How often an event descriptor has been signaled since it was cleared. 0 for other descriptors.
    func signalCount(_ descriptor: Int32) -> UInt64
    /// Creates a regular file at a path of the simulated file system.
    func makeFile(at path: String)
    /// Creates a folder of the simulated file system, and does nothing if it exists.
    func makeFolder(at path: String)
    func removeFolder(at path: String)
    /// Sends a process signal to the process.
    func raise(_ signal: Int32)
    /// Whether the process handles a process signal.
    func isHandled(_ signal: Int32) -> Bool
}
