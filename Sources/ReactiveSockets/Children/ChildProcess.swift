// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A child process. Its standard streams are connections, and its exit is a signal.
///
/// The initializer starts the program. All events are delivered on the child's loop. Any thread may use every member.
/// The exit status is always collected, so no zombie remains. Other children of this process are not affected (rule
/// G5). While the child runs, `runUntilIdle()` of the loop does not return. Child processes need Linux 5.4
/// (pidfd_open(2), waitid(2)).
///
/// Releasing a `ChildProcess` does not stop the child, unless `isKilledOnRelease` is true. Its connections close when
/// they have no other references. The child then reads end of stream, and its writes fail or raise `SIGPIPE`. Disposing
/// the loop has the same effects as releasing the object. A separate thread then reaps the child.
public final class ChildProcess: Sendable {
    /// The loop that delivers all events.
    public let loop: any LoopScheduler
    /// The process identifier. The system may reuse it after the child has exited, but ``send(_:)`` never reaches
    /// another process.
    public let identifier: Int32
    /// A connection to the child's standard input, or nil if it is not piped. It only sends. `finishSending()` ends the
    /// input. Sends fail with `reset` after the child has closed its end.
    public let standardInput: Connection?
    /// A connection to the child's standard output, or nil if it is not piped. It only receives.
    public let standardOutput: Connection?
    /// A connection to the child's standard error, or nil if it is not piped. It only receives.
    public let standardError: Connection?

    private let core: UnsafeTransfer<ChildCore>
    private let handle: ChildHandle
    private let isKilledOnRelease: Bool

    /// Starts a program. Any thread may call this initializer. It returns when the program has started, and throws if
    /// it cannot start.
    ///
    /// All process signals of the child are unblocked and have their default actions. Besides the standard streams, the
    /// child inherits no descriptor that this framework has opened.
    ///
    /// - Parameters:
    ///   - program: A path, or a name without a slash, which is looked up in this process's `PATH`.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The complete environment. `nil` inherits this process's environment.
    ///   - folder: The working directory, against which a relative path of `program` is resolved. `nil` inherits this
    ///     process's directory.
    ///   - standardInput: The child's standard input.
    ///   - standardOutput: The child's standard output.
    ///   - standardError: The child's standard error.
    ///   - isKilledOnRelease: Whether to kill the child (`SIGKILL`) when this object is released or the loop is
    ///     disposed.
    ///   - loop: The loop that delivers all events.
    /// - Throws: `noSuchPath`, `permissionDenied`, `outOfDescriptors` or `systemCall` if the system refuses. The
    ///   message names the program. `malformed` if a text contains a zero byte, or if a variable's name is empty or
    ///   contains `=`. `loop` if the loop has been disposed. After an error, no child and no open descriptor remains.
    public init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        folder: String? = nil,
        standardInput: ChildStream = .null,
        standardOutput: ChildStream = .inherited,
        standardError: ChildStream = .inherited,
        isKilledOnRelease: Bool = false,
        loop: any LoopScheduler
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let launch = ChildLaunch(program: program, arguments: arguments, environment: environment, folder: folder)
        let started = try launch.start([standardInput, standardOutput, standardError])
        self.loop = loop
        self.isKilledOnRelease = isKilledOnRelease
        handle = started.handle
        identifier = handle.identifier
        let connections = started.ends.map { end in
            end.map { Connection($0, in: ConnectionContext(loop, Watermarks(), nil), to: nil) }
        }
        (self.standardInput, self.standardOutput, self.standardError) =
            (connections[0], connections[1], connections[2])
        // A child may be silent for any time, and this process may read its output after its exit.
        for connection in connections { connection?.setTimeouts(ConnectionTimeouts(halfClosed: nil)) }
        // Each connection uses one direction. The other direction is ended now, so that the descriptor is closed when
        // the used direction ends. `ChildLaunch` has ended the direction from the child's standard input, so reading
        // reaches the end of the stream immediately. A SourceSubscription is used because it does not count as an
        // observer. So a failure is still reported by the results of the sends.
        if let connection = connections[0] {
            let reading = SourceSubscription(connection.core.value.context, SourceOutcome())
            connection.received.subscribe(in: reading, onValue: { _ in }, onTermination: { _ in })
        }
        connections[1]?.finishSending()
        connections[2]?.finishSending()
        core = UnsafeTransfer(ChildCore(handle, loop, launch.program, isKilledOnRelease: isKilledOnRelease))
        if loop.isCurrent {
            core.value.start()
        } else {
            loop.execute({ [core] in core.value.start() }, ifDisposed: { [core] in core.value.abandon() })
        }
    }

    deinit {
        if isKilledOnRelease { handle.kill() }
    }

    /// The exit status. Sends one value when the child exits, then completes. Later subscribers receive the same
    /// events.
    ///
    /// Disposing a subscription does not affect the child. Output may still arrive after the exit. To read all of it,
    /// also wait until `received` of ``standardOutput`` completes.
    ///
    /// The signal fails with `noSuchProcess` if the status is lost. That happens if this process ignores `SIGCHLD`, or
    /// if other code in it waits for all children. It fails with `loop` if the loop has been disposed or cannot watch
    /// the child.
    public var exit: Signal<ExitStatus, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            loop.runOrExecute { core.value.observe(emitter, subscription) }
        }
    }

    /// Sends a process signal to the child (pidfd_send_signal(2)). The signal never reaches another process that reuses
    /// the identifier.
    ///
    /// - Parameter signal: The signal, such as `.terminate`.
    /// - Throws: `noSuchProcess` if the child has exited. `permissionDenied` if the child now runs as another user.
    ///   `systemCall` if the signal does not exist.
    public func send(_ signal: ProcessSignal) throws(SocketError) {
        let code = handle.send(signal.rawValue)
        if code != 0 { throw SocketError.system("cannot send \(signal) to process \(identifier)", code) }
    }
}
