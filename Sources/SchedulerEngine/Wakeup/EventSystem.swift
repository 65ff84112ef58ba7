// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The system calls that a loop on a simulated host uses for its wake-ups, timers and process signals (Decision 0041).
///
/// Any thread may call every member. No member calls user code.
package protocol EventSystem: AnyObject, Sendable {
    /// Opens an event descriptor (eventfd(2)). Returns a negative error number if the host has no descriptor left.
    func openEvent() -> Int32
    /// Makes the descriptor readable.
    func signalEvent(_ descriptor: Int32)
    /// Makes the descriptor unreadable.
    func clearEvent(_ descriptor: Int32)
    /// Opens a timer descriptor (timerfd_create(2)). Returns a negative error number if the host has no descriptor left.
    func openTimer() -> Int32
    /// Makes a timer descriptor readable from an instant of the host's clock on. nil means never.
    func setTimer(_ descriptor: Int32, _ instant: LoopInstant?)
    /// Closes an event or timer descriptor.
    func closeEvent(_ descriptor: Int32)
    /// Makes each arrival of a process signal signal the descriptor. Returns 0 or an error number.
    func addListener(_ descriptor: Int32, to signal: Int32) -> Int32
    func removeListener(_ descriptor: Int32, of signal: Int32)
}
