import ReactiveCore
import ReactiveSockets

/// An error that is printed as one line, and ends the program with 1.
public struct Failure: Error, CustomStringConvertible {
    public let description: String

    /// Runs `body`; what the system or a loop refuses becomes one line.
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
