// SPDX-License-Identifier: MIT
/// A POSIX signal that a process receives. It is unrelated to the `Signal` that sends values.
public struct ProcessSignal: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The signal's number on this system.
    public let rawValue: Int32

    /// Creates a signal from its number. The number is checked only when the signal is used.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    // The numbers are those of Linux on every architecture that Swift runs on.

    /// `SIGHUP`: the terminal was closed. Many daemons reload their configuration.
    public static let hangUp = ProcessSignal(rawValue: 1)
    /// `SIGINT`: an interrupt from the terminal (control-C).
    public static let interrupt = ProcessSignal(rawValue: 2)
    /// `SIGQUIT`: a request from the terminal to quit and dump core (control-backslash).
    public static let quit = ProcessSignal(rawValue: 3)
    /// `SIGKILL`: terminates the process immediately. It can be sent, but not handled.
    public static let kill = ProcessSignal(rawValue: 9)
    /// `SIGUSR1`: defined by the program.
    public static let user1 = ProcessSignal(rawValue: 10)
    /// `SIGUSR2`: defined by the program.
    public static let user2 = ProcessSignal(rawValue: 12)
    /// `SIGALRM`: a timer of `alarm` or `setitimer` has expired.
    public static let alarm = ProcessSignal(rawValue: 14)
    /// `SIGTERM`: a request to terminate.
    public static let terminate = ProcessSignal(rawValue: 15)
    /// `SIGCHLD`: a child process has ended, stopped or continued.
    public static let child = ProcessSignal(rawValue: 17)
    /// `SIGWINCH`: the size of the terminal has changed.
    public static let windowChange = ProcessSignal(rawValue: 28)

    public var description: String {
        switch self {
        case .hangUp: "SIGHUP"
        case .interrupt: "SIGINT"
        case .quit: "SIGQUIT"
        case .kill: "SIGKILL"
        case .user1: "SIGUSR1"
        case .user2: "SIGUSR2"
        case .alarm: "SIGALRM"
        case .terminate: "SIGTERM"
        case .child: "SIGCHLD"
        case .windowChange: "SIGWINCH"
        default: "signal \(rawValue)"
        }
    }
}
