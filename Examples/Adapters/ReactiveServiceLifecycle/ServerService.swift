import ReactiveCore
import ReactiveSignals
public import ReactiveSockets
public import ServiceLifecycle

/// A ``Server`` as a service of a `ServiceGroup`: it begins with the group's run, is drained on graceful shutdown, and stopped
/// when its task is cancelled.
///
///     let service = ServerService(grace: .seconds(20)) {
///         try Server(on: address, loops: loops) { $0.send(from: $0.received) }
///     }
///     try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger).run()
///
/// The loops are not its own: they are run, and disposed after the group's run, by whoever made them.
public struct ServerService: Service {
    private let grace: Duration
    private let make: @Sendable () throws -> Server

    /// Makes a service of the server that `make` makes when the service is run.
    ///
    /// - Parameters:
    ///   - grace: how long open connections get to finish after a graceful shutdown has begun. The group's own
    ///     `maximumGracefulShutdownDuration`, where it has one, should be longer.
    ///   - make: called once for each run. What it throws ends the run.
    public init(grace: Duration = .seconds(30), _ make: @escaping @Sendable () throws -> Server) {
        self.grace = grace
        self.make = make
    }

    /// Serves until the server has stopped, which a graceful shutdown and a cancellation both bring about; then nothing of it
    /// is left.
    public func run() async throws {
        let server = try make()
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await server.untilStopped()
            } onGracefulShutdown: { [grace] in
                server.drain(within: grace)
            }
        } onCancel: {
            server.stop()
        }
    }
}

extension Server {
    /// Waits for the end, whatever becomes of the task: who cancels stops the server, and that is waited for too.
    fileprivate func untilStopped() async {
        await withCheckedContinuation { continuation in
            // Events complete once, when the server has stopped, and at once where it has.
            events.subscribe(onTermination: { _ in continuation.resume() })
        }
    }
}
