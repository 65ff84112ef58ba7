// SPDX-License-Identifier: MIT
public import ArgumentParser
public import ReactiveSockets

/// An address and a port as a command-line argument: `127.0.0.1:80` or `[::1]:80`. Host names are not accepted.
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
