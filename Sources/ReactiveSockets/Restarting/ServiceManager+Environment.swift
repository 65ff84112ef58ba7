// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

extension ServiceManager {
    /// The service manager that the environment names: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///
    /// The variables stay set, so that a process which takes over finds them too. Remove `WATCHDOG_PID` from its
    /// environment, because it names this process.
    ///
    /// - Returns: `nil` if no service manager has started this process, or if it expects no messages.
    /// - Throws: `invalidAddress` or `pathTooLong` if the address is no Unix socket. `malformed` if a variable of the
    ///   watchdog is no number.
    public static func fromEnvironment() throws(SocketError) -> ServiceManager? {
        guard let address = Environment["NOTIFY_SOCKET"] else { return nil }
        return try ServiceManager(address, Environment["WATCHDOG_USEC"], Environment["WATCHDOG_PID"], getpid())
    }

    init(_ address: String, _ interval: String?, _ process: String?, _ identifier: Int32) throws(SocketError) {
        switch address.utf8.first {
        case UInt8(ascii: "/"): self.address = try .unix(path: address)
        case UInt8(ascii: "@"): self.address = try .abstract(String(address.dropFirst()))
        default:
            throw SocketError(
                .invalidAddress,
                "NOTIFY_SOCKET=\(address) is not supported: it is neither a path nor an abstract name"
            )
        }
        guard let interval else {
            watchdogInterval = nil
            return
        }
        let microseconds = try Self.number("WATCHDOG_USEC", interval)
        if let process, try Self.number("WATCHDOG_PID", process) != Int(identifier) {
            watchdogInterval = nil
        } else {
            watchdogInterval = .microseconds(microseconds)
        }
    }

    private static func number(_ name: String, _ text: String) throws(SocketError) -> Int {
        // So the interval fits a Duration with room for calculations.
        guard let number = WireInteger(decimal: text)?.value(in: 1...1 << 50) else {
            throw SocketError(.malformed, "\(name)=\(text) is not a positive number")
        }
        return number
    }
}
