public import ArgumentParser
public import ReactiveSockets

/// An address and a port on a command line: `127.0.0.1:80`, `[::1]:80`.
public struct Endpoint: ExpressibleByArgument, Sendable, CustomStringConvertible {
    public let address: SocketAddress

    public init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
            let address = try? SocketAddress(host: String(argument[..<colon]), port: port)
        else { return nil }
        self.address = address
    }

    public var description: String { address.description }
}
