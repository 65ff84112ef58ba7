// SPDX-License-Identifier: MIT

/// The system calls that a loop on a simulated host uses for its wake-ups and process signals (Decision 0041).
///
/// Any thread may call every member. No member calls user code.
package protocol EventSystem: AnyObject, Sendable {
    /// Opens an event descriptor (eventfd(2)). Returns a negative error number if the host has no descriptor left.
    func openEvent() -> Int32
    /// Makes the descriptor readable.
    func signalEvent(_ descriptor: Int32)
    /// Makes the descriptor unreadable.
    func clearEvent(_ descriptor: Int32)
    func closeEvent(_ descriptor: Int32)
    /// Makes each arrival of a process signal signal the descriptor. Returns 0 or an error number.
    func addListener(_ descriptor: Int32, to signal: Int32) -> Int32
    func removeListener(_ descriptor: Int32, of signal: Int32)
    /// Runs `body` once on another thread of the host's process. If the process has ended, `body` is not called.
    func startThread(_ name: String, _ body: @escaping @Sendable () -> Void)
}
