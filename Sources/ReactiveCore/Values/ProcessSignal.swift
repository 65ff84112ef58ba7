/// A POSIX signal that the process can receive. (A stream of values is a signal too; this is the other kind.)
public struct ProcessSignal: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The signal's number on this system.
    public let rawValue: Int32

    /// Makes a signal from its number; that it exists is checked where it is used.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    // The numbers are those of Linux on every architecture that Swift runs on.

    /// `SIGHUP`: the terminal has gone; by custom, "read the configuration again".
    public static let hangUp = ProcessSignal(rawValue: 1)
    /// `SIGINT`: control-C.
    public static let interrupt = ProcessSignal(rawValue: 2)
    /// `SIGQUIT`: control-backslash.
    public static let quit = ProcessSignal(rawValue: 3)
    /// `SIGKILL`: the end, at once; it can be sent only.
    public static let kill = ProcessSignal(rawValue: 9)
    /// `SIGUSR1`: the program's own use.
    public static let user1 = ProcessSignal(rawValue: 10)
    /// `SIGUSR2`: the program's own use.
    public static let user2 = ProcessSignal(rawValue: 12)
    /// `SIGALRM`: the alarm clock.
    public static let alarm = ProcessSignal(rawValue: 14)
    /// `SIGTERM`: please end.
    public static let terminate = ProcessSignal(rawValue: 15)
    /// `SIGCHLD`: a child process has ended or stopped.
    public static let child = ProcessSignal(rawValue: 17)
    /// `SIGWINCH`: the terminal has another size.
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
