// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// An error that the program prints as one line before it exits with 1.
public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }

    /// Runs `body`, and converts its errors to a `Failure`.
    ///
    /// - Throws: A `Failure` for a `SocketError` or a `LoopError`. Other errors of `body` are thrown unchanged.
    public static func reporting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SocketError {
            throw Failure(description: error.description)
        } catch let error as LoopError {
            throw Failure(description: error.description)
        }
    }
}
